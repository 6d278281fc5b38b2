"""The ten queries of TPC-DS that gain most, with tables in Parquet, Delta Lake and Iceberg: the same rows in the same
order, in files of the same size.

It needs the newest line of Spark that both formats have, such as 4.1, in SPARK_HOME. SF is the scale (10); a query that
takes more than ten seconds is measured once.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from pyspark.sql import SparkSession

from lake_tables import lake_session
from measure import DATA, Case, compare, save
from qubole import OURS, STOCK
from tpcds import CLASSES, SCALE, all_queries, comparable, files, in_order, under_each

# The highest ratios of results/tpcds-sf10.json.
QUERIES = ("q80", "q80a", "q64", "q17", "q25", "q40", "q82", "q37", "q21", "q29")
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
    ways = under_each(spark, name, STOCK, OURS)
    text, rounds = comparable(name, text, ways)
    stock, ours = ways(text)
    (found,) = compare([Case(f"{format_}, {name}", stock, ours, prepare=use)], rounds, warm=True)
    return found


def summary(cases: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """By format, as `cases` are: the geometric mean of the ratios, the share of the time that is saved, and that share
    as a part of what is saved with Parquet.
    """
    saved = {
        format_: 1 - sum(case["ours_s"] for case in some) / sum(case["baseline_s"] for case in some)
        for format_, some in cases.items()
    }
    return {
        format_: {
            "geometric_mean": round(geometric_mean([case["ratio"] for case in some]), 3),
            "saved": round(saved[format_], 3),
            "of_what_parquet_saves": round(saved[format_] / saved["parquet"], 3),
        }
        for format_, some in cases.items()
    }


def main() -> None:
    shutil.rmtree(LAKE, ignore_errors=True)
    with lake_session(
        "lake", LAKE, spark__driver__memory="10g", spark__sql__codegen__cache__maxEntries=CLASSES
    ) as spark:
        all_texts = all_queries()
        texts = {name: all_texts[name] for name in QUERIES}
        words = set(re.findall(r"\w+", " ".join(texts.values())))
        tables = {name: path for name, path in files(spark).items() if name in words}
        for format_ in SCHEMAS:
            create(spark, format_, tables)
        cases: dict[str, list[dict[str, Any]]] = {format_: [] for format_ in SCHEMAS}
        for name, text in texts.items():
            for format_, some in cases.items():
                some.append(measured(spark, format_, name, text))
                print(some[-1], flush=True)
        save("lake", int(SCALE), [each for some in cases.values() for each in some], summary(cases))


if __name__ == "__main__":
    main()
