"""`dbt run` of an incremental model that merges 1 % of the keys of its table, in a range and scattered, with Delta Lake
and Iceberg: with dynamic filters and without, in a process that has Spark.

It needs the newest line of Spark that both formats have, such as 4.1, in SPARK_HOME.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from dbt_runs import SCHEMA, project, running
from measure import DATA, Case, apart, compare, save
from merge import FILES, ROUNDS, ROWS, SOURCES, looked_at, restore_delta, restore_iceberg

FORMATS = ("delta", "iceberg")
TABLE = f"spark_catalog.{SCHEMA}.merged"
MODEL = f"""
{{{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', dynamic_filter=var('filters')) }}}}
{{% if is_incremental() %}}
select {{{{ var('key') }}}} as id, id as v, 'new' as payload from range({ROWS // 100})
{{% else %}}
select id, id % 1000 as v, sha1(cast(id as string)) as payload from range(0, {ROWS}, 1, {FILES})
{{% endif %}}
"""


def restore(spark: SparkSession, format_: str) -> None:
    """The table as its first run left it."""
    if format_ == "delta":
        restore_delta(spark, TABLE, version=0)
    else:
        restore_iceberg(spark, TABLE)


def measure_format(format_: str, result: Path) -> None:
    """Measures both sources with tables of a format, into the file `result`."""
    shutil.rmtree(DATA / f"dbt-merge-{format_}", ignore_errors=True)
    confs = {"spark.driver.memory": "8g"}
    models = {"+file_format": format_}
    folder = project(f"merge-{format_}", {"models/merged.sql": MODEL}, confs, models=models)
    running(folder, key="id", filters=True)()
    spark = SparkSession.builder.getOrCreate()
    cases = []
    for name, key in SOURCES.items():
        stock, ours = (running(folder, key=key, filters=filters) for filters in (False, True))
        runs = Case(f"{format_}, {name}", stock, ours, prepare=lambda: restore(spark, format_))
        cases.append(looked_at(spark, TABLE, runs))
    result.write_text(json.dumps([spark.version, compare(cases, ROUNDS, warm=True)]), encoding="utf-8")


def measured(format_: str) -> tuple[str, list[dict[str, object]]]:
    """The release of Spark and what `measure_format` finds, in a process of its own: a session catalog is of one
    format.
    """
    spark, cases = apart(__file__, format_)
    return spark, cases


def main() -> None:
    found = [measured(format_) for format_ in FORMATS]
    cases = [case for _, some in found for case in some]
    save("merge_dbt", ROWS, cases, {str(each["case"]): each["ratio"] for each in cases}, spark=found[0][0])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure_format(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
