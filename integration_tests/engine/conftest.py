"""One Spark session with the extension, in memory only, for all tests of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.jars import find_jar, installed_line, spark_home
from dbt.adapters.adaptive_spark.session_conf import session_conf


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    jar = find_jar(AdaptiveSparkCredentials(schema="engine"), installed_line(spark_home()))
    warehouse: Path = tmp_path_factory.mktemp("warehouse")
    profile = {
        "spark.master": "local[2]",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(warehouse),
    }
    builder = SparkSession.builder
    for key, value in session_conf(profile, {}, jar).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
