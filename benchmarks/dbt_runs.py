"""dbt on a project that a benchmark writes: in a process of its own, with dbt-spark's session method or with this
adapter in its place; or in this process, whose Spark is up.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner

from measure import DATA

BASELINE, OURS = "spark", "adaptive_spark"
SCHEMA = "bench"
_ROOT = Path(__file__).parents[1]


def project(
    name: str, files: Mapping[str, str], confs: Mapping[str, str] | None = None, **settings: Any
) -> Path:
    """Writes `data/dbt-<name>` anew: files by path, and a profile with a target for each adapter, which share one
    warehouse, and with more `confs`.
    """
    folder = DATA / f"dbt-{name}"
    for part in ("models", "seeds", "macros", "target"):
        shutil.rmtree(folder / part, ignore_errors=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / "dbt_project.yml").write_text(
        yaml.safe_dump({"name": "bench", "version": "1.0", "profile": "bench", **settings})
    )
    profile = {
        "spark.master": "local[2]",
        "spark.driver.memory": "4g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
        **(confs or {}),
    }
    outputs = {
        adapter: {
            "type": adapter,
            "method": "session",
            "host": "NA",
            "schema": SCHEMA,
            "threads": 1,
            "server_side_parameters": profile,
        }
        for adapter in (BASELINE, OURS)
    }
    (folder / "profiles.yml").write_text(yaml.safe_dump({"bench": {"target": OURS, "outputs": outputs}}))
    return folder


def dbt(folder: Path, adapter: str, *arguments: str) -> str:
    """The output of a command. Raises RuntimeError with it where the command failed."""
    command = [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", *arguments]
    ended = subprocess.run(
        [*command, "--project-dir", str(folder), "--profiles-dir", str(folder), "--target", adapter],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_ROOT), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise RuntimeError(
            f"dbt {' '.join(arguments)} with {adapter}:\n{ended.stdout[-5000:]}\n{ended.stderr[-2000:]}"
        )
    return ended.stdout


def running(folder: Path, **variables: Any) -> Callable[[], list[str]]:
    """`dbt run` with this adapter in this process, which returns how its nodes ended.

    Raises AssertionError where one failed.
    """
    options = {"--project-dir": str(folder), "--profiles-dir": str(folder), "--target": OURS}
    command = [
        "--quiet",
        "run",
        "--no-partial-parse",
        *(word for option in options.items() for word in option),
    ]

    def run() -> list[str]:
        ended = dbtRunner().invoke([*command, "--vars", json.dumps(variables)])
        assert ended.success, ended.exception
        return [str(each.status) for each in ended.result]  # type: ignore[union-attr]  # a run's

    return run
