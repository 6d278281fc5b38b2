"""`MERGE` of 1 % of a table's keys, in a range and scattered, into tables of Delta Lake and Iceberg that are in the
order of the key.

It needs the newest line of Spark that both formats have, such as 4.1, in SPARK_HOME.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from lake_tables import lake_session
from measure import DATA, Case, compare, save
from queries import size

ROWS, ROUNDS = size(20_000_000, rounds=3)
FILES = 40
SOURCES = {"range": f"id + {ROWS // 2}", "scattered": "id * 100"}
LAKE = DATA / "merge"


@dataclass(frozen=True)
class Table:
    """A table of a format: its name in SQL, its properties, and how it is put back to a version."""

    name: str
    format: str
    properties: str
    restore: Callable[[SparkSession, str], Any]


def restore_delta(spark: SparkSession, table: str, version: int = 1) -> None:
    """Puts a table back to a version; the first one of a table that was created empty has no rows."""
    spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF {version}")


def restore_iceberg(spark: SparkSession, table: str) -> None:
    """Puts a table back to its first version; `table` begins with its catalog."""
    first = spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at LIMIT 1").head()
    assert first is not None
    catalog, _, name = table.partition(".")
    spark.sql(f"CALL {catalog}.system.rollback_to_snapshot('{name}', {first[0]})")


TABLES = [
    Table(
        "default.vectors",
        "delta",
        "'delta.enableDeletionVectors' = 'true'",
        restore_delta,
    ),
    Table(
        "default.rewritten",
        "delta",
        "'delta.enableDeletionVectors' = 'false'",
        restore_delta,
    ),
    Table("ice.db.merged", "iceberg", "'write.merge.mode' = 'merge-on-read'", restore_iceberg),
    Table("ice.db.copied", "iceberg", "'format-version' = '2'", restore_iceberg),
]


def create(spark: SparkSession, table: Table) -> None:
    """The table anew, with all rows in one version."""
    spark.sql(f"DROP TABLE IF EXISTS {table.name}")
    spark.sql(
        f"CREATE TABLE {table.name} (id BIGINT, v BIGINT, payload STRING) "
        f"USING {table.format} TBLPROPERTIES ({table.properties})"
    )
    spark.range(0, ROWS, 1, FILES).selectExpr(
        "id", "id % 1000 AS v", "sha1(cast(id AS string)) AS payload"
    ).writeTo(table.name).append()


def merging(spark: SparkSession, table: Table, source: str, filters: bool) -> Callable[[], Any]:
    """A MERGE of the table, with the extension's filters or without; it returns the rows that Spark counts."""

    def merge() -> Any:
        spark.conf.set("spark.sql.dynamicFilter.enabled", filters)
        rows = spark.sql(
            f"MERGE INTO {table.name} t USING (SELECT id, v + 1 AS v, payload FROM {source}) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
        ).collect()
        return [tuple(row) for row in rows]

    return merge


def rows_of(spark: SparkSession, table: str) -> Any:
    """The table's rows as a few numbers."""
    return spark.sql(
        f"SELECT count(*), sum(v), sum(xxhash64(id, v, payload) % 1000003) FROM {table}"
    ).collect()


def looked_at(spark: SparkSession, table: str, case: Case) -> Case:
    """The case of two ways to change a table, which it prepares, once looked at for the rows that they leave."""

    def rows_after(change: Callable[[], Any]) -> Any:
        case.prepare()
        change()
        return rows_of(spark, table)

    assert rows_after(case.baseline) == rows_after(case.ours), case.name
    return case


def case(spark: SparkSession, table: Table, name: str) -> Case:
    """The MERGEs of one source into one table."""
    stock, ours = (merging(spark, table, f"src_{name}", filters) for filters in (False, True))
    title = f"{table.name.rpartition('.')[2]}, {name}"
    merges = Case(title, stock, ours, prepare=lambda: table.restore(spark, table.name))
    return looked_at(spark, table.name, merges)


def main() -> None:
    shutil.rmtree(LAKE, ignore_errors=True)
    # two tasks that rewrite all rows do not fit into 4 GB
    with lake_session("merge", LAKE, spark__driver__memory="8g") as spark:
        for name, key in SOURCES.items():
            spark.range(ROWS // 100).selectExpr(f"{key} AS id", "id AS v", "'new' AS payload").write.mode(
                "overwrite"
            ).format("parquet").save(str(LAKE / name))
            spark.read.parquet(str(LAKE / name)).createOrReplaceTempView(f"src_{name}")
        results = []
        for table in TABLES:
            create(spark, table)
            results += compare([case(spark, table, name) for name in SOURCES], ROUNDS)
            save("merge", ROWS, results, {}, more=True)
            spark.sql(f"DROP TABLE {table.name}")
        save("merge", ROWS, results, {each["case"]: each["ratio"] for each in results})


if __name__ == "__main__":
    main()
