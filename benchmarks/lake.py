"""The ten queries of TPC-DS that gain most, with tables in Parquet, Delta Lake and Iceberg: the same rows in the same
order, in files of the same size.

It needs the newest line of Spark that both formats have, such as 4.1, in SPARK_HOME. SF is the scale (10); a query that
takes more than ten seconds is measured once.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from lake_tables import lake_session
from measure import DATA, gains, save
from tpcds import CLASSES, GAIN_MOST, SCALE, against_stock, all_queries, files, in_order

SCHEMAS = {
    "parquet": "spark_catalog.of_parquet",
    "delta": "spark_catalog.of_delta",
    "iceberg": "ice.of_iceberg",
}
LAKE = DATA / f"lake-{SCALE}"


def create(spark: SparkSession, format_: str, tables: dict[str, Path]) -> None:
    """The tables in a format, in its schema."""
    schema = SCHEMAS[format_]
    spark.sql(f"CREATE SCHEMA {schema}")
    for name, path in tables.items():
        rows = spark.read.parquet(str(path))
        in_order(rows, name, len(rows.inputFiles())).writeTo(f"{schema}.{name}").using(format_).create()


def measured(spark: SparkSession, format_: str, name: str, text: str) -> dict[str, Any]:
    """A query's case over the tables of a format."""

    def use() -> None:
        spark.sql(f"USE {SCHEMAS[format_]}")

    use()
    return against_stock(spark, name, text, f"{format_}, {name}", use)


def main() -> None:
    shutil.rmtree(LAKE, ignore_errors=True)
    with lake_session(
        "lake", LAKE, spark__driver__memory="10g", spark__sql__codegen__cache__maxEntries=CLASSES
    ) as spark:
        all_texts = all_queries()
        texts = {name: all_texts[name] for name in GAIN_MOST}
        words = set(re.findall(r"\w+", " ".join(texts.values())))
        tables = {name: path for name, path in files(spark).items() if name in words}
        for format_ in SCHEMAS:
            create(spark, format_, tables)
        cases: dict[str, list[dict[str, Any]]] = {format_: [] for format_ in SCHEMAS}
        for name, text in texts.items():
            for format_, some in cases.items():
                some.append(measured(spark, format_, name, text))
                print(some[-1], flush=True)
        save("lake", int(SCALE), [each for some in cases.values() for each in some], gains(cases, "parquet"))


if __name__ == "__main__":
    main()
