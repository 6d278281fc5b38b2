"""The profile of dbt's own adapter suite: one Spark on this machine, with metastore and warehouse, for a whole run."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def target_in(folder: Path) -> dict[str, Any]:
    return {
        "type": "adaptive_spark",
        "method": "session",
        "threads": 4,
        "server_side_parameters": {
            "spark.master": "local[2]",
            "spark.driver.memory": "2g",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.extraJavaOptions": f"-Dderby.stream.error.file={folder}/derby.log",
            "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/metastore;create=true",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.sql.shuffle.partitions": "2",
            # to compile a query takes longer than to run it
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        },
    }


def target_in_format(folder: Path, name: str, **confs: str) -> dict[str, Any]:
    """The profile by which tables are in a format unless they say another; `confs` are further ones."""
    target = target_in(folder)
    as_default = {
        "spark.databricks.delta.snapshotPartitions": "1",
        # of the tables that a suite makes by SQL of its own
        "spark.sql.sources.default": name,
        "spark.sql.legacy.createHiveTableByDefault": "false",
    }
    return {
        **target,
        "server_side_parameters": {**target["server_side_parameters"], **as_default, **confs},
    }
