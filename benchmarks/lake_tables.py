"""A session with a catalog for each table format: `spark_catalog` for Delta Lake, `ice` for Iceberg."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from build_support.format_jars import format_jars, newest_with_formats
from dbt.adapters.adaptive_spark.spark.table_formats import DELTA, ICEBERG
from measure import spark_session


@contextmanager
def lake_session(name: str, folder: Path, **conf: str) -> Iterator[SparkSession]:
    """A session of the newest line of Spark that both formats have; its tables are in `folder`."""
    with spark_session(
        name,
        spark__jars=",".join(map(str, format_jars(newest_with_formats()))),
        spark__sql__extensions=f"{DELTA.extension},{ICEBERG.extension}",
        spark__sql__catalog__spark_catalog=DELTA.catalog,
        spark__sql__catalog__ice="org.apache.iceberg.spark.SparkCatalog",
        spark__sql__catalog__ice__type="hadoop",
        spark__sql__catalog__ice__warehouse=str(folder / "iceberg"),
        spark__sql__warehouse__dir=str(folder / "delta"),
        # Delta Lake reads a table's log in 50 tasks by default, which takes seconds on two cores, in any way to ask.
        spark__databricks__delta__snapshotPartitions="2",
        **conf,
    ) as spark:
        yield spark
