"""dbt's own adapter suite against a session on this machine: one Spark, metastore and warehouse for the whole run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["dbt.tests.fixtures.project"]


def pytest_configure(config: pytest.Config) -> None:
    # the suite defines its fixtures as instance methods throughout
    config.addinivalue_line(
        "filterwarnings", "ignore:(Class|Session)-scoped fixtures defined as instance methods"
    )


@pytest.fixture(scope="session")
def spark_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="class")
def dbt_profile_target(spark_directory: Path) -> dict[str, Any]:
    return {
        "type": "adaptive_spark",
        "method": "session",
        "threads": 4,
        "server_side_parameters": {
            "spark.master": "local[2]",
            "spark.driver.memory": "2g",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.extraJavaOptions": f"-Dderby.stream.error.file={spark_directory}/derby.log",
            "spark.hadoop.javax.jdo.option.ConnectionURL": (
                f"jdbc:derby:;databaseName={spark_directory}/metastore;create=true"
            ),
            "spark.sql.warehouse.dir": f"{spark_directory}/warehouse",
            "spark.sql.shuffle.partitions": "2",
            # to compile a query takes longer than to run it
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        },
    }
