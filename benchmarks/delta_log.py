"""`dbt run` of small incremental models in Delta Lake, in a process that has Spark with two threads: with two tasks
that read a table's log, as the adapter has it, and with 50, Delta Lake's default.

It needs a line of Spark that Delta Lake has, such as 4.1, in SPARK_HOME.
"""

from __future__ import annotations

import os
import shutil

from pyspark.sql import SparkSession

from dbt_runs import project, running
from measure import DATA, Case, compare, save

ROUNDS = int(os.environ.get("ROUNDS", "5"))
ROWS = 1_000
DEFAULT, OURS = 50, 2
KEY = "spark.databricks.delta.snapshotPartitions"
MODELS = {
    "appended": "incremental_strategy='append'",
    "merged": "incremental_strategy='merge', unique_key='id'",
    "replaced": "incremental_strategy='delete+insert', unique_key='id'",
}


def model(configs: str) -> str:
    confs = f"spark_conf={{'{KEY}': var('tasks')}}"
    return f"{{{{ config(materialized='incremental', {confs}, {configs}) }}}} select id, id % 7 as v from range({ROWS})"


def main() -> None:
    shutil.rmtree(DATA / "dbt-delta-log", ignore_errors=True)
    models = {f"models/{name}.sql": model(configs) for name, configs in MODELS.items()}
    folder = project("delta-log", models, models={"+file_format": "delta"})
    default, ours = (running(folder, tasks=tasks) for tasks in (DEFAULT, OURS))
    cases = compare([Case("three models", default, ours)], ROUNDS)
    version = SparkSession.builder.getOrCreate().version
    save("delta_log", ROWS, cases, {"ratio": cases[0]["ratio"]}, spark=version)


if __name__ == "__main__":
    main()
