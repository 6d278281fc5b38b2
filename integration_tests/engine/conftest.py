"""One Spark session with the extension, in memory only, for all tests of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.start_spark import start_spark


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    warehouse: Path = tmp_path_factory.mktemp("warehouse")
    profile = {
        "spark.master": "local[2]",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.ansi.enabled": "true",  # Spark's own default, not a profile's
        "spark.sql.catalogImplementation": "in-memory",
        # Spark 4's own defaults: 3.5 refuses to write days before the Gregorian calendar.
        "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
        "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(warehouse),
    }
    session = start_spark(
        AdaptiveSparkCredentials(schema="engine", server_side_parameters=profile)
    ).getOrCreate()
    yield session
    session.stop()
