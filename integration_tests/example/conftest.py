"""The example project built three times in a copy of its own: by the demo, by the demo again, and without filters."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "flights"
sys.path.insert(0, str(EXAMPLE))  # its programs stand beside the project, in no package


DBT = ["-m", "dbt.cli.main"]
PATHS = ["--profiles-dir", ".", "--target-path", ".local/target", "--log-path", ".local/logs"]


@dataclass(frozen=True)
class Build:
    """What one build left: its console text, its results by model, and its tables' rows."""

    output: str
    models: Mapping[str, Any]
    rows: Mapping[str, Counter[tuple[Any, ...]]]


def rows_of(directory: Path) -> Counter[tuple[Any, ...]]:
    """A table's rows as a multiset, read without Spark."""
    table = pyarrow.dataset.dataset(directory, format="parquet", partitioning="hive").to_table()
    columns = [table.column(name).to_pylist() for name in sorted(table.column_names)]
    return Counter(zip(*columns, strict=True))


def run(project: Path, schema: str, *command: str) -> Build:
    environment = {**os.environ, "FLIGHTS_HOME": str(project), "FLIGHTS_SCHEMA": schema}
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((project / ".local" / "target" / "run_results.json").read_text())["results"]
    models = {
        result["unique_id"].split(".")[-1]: result
        for result in results
        if result["unique_id"].startswith("model.")
        and not result["relation_name"].split(".")[-1].startswith("stg_")
    }
    warehouse = project / ".local" / "warehouse" / f"{schema}.db"
    return Build(done.stdout, models, {name: rows_of(warehouse / name) for name in models})


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("example") / "flights"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns(".local", "target", "logs", "__pycache__"))
    return copy


@pytest.fixture(scope="session")
def demo_run(project: Path) -> Build:
    return run(project, "flights_on", "demo.py")


@pytest.fixture(scope="session")
def second_demo_run(project: Path, demo_run: Build) -> Build:
    return run(project, "flights_on", "demo.py")


@pytest.fixture(scope="session")
def plain_run(project: Path, demo_run: Build) -> Build:
    """After the demo, which wrote the sources."""
    build = ["build", "--exclude-resource-type", "test", "--vars", "{adaptive_filter: false}"]
    return run(project, "flights_off", *DBT, *build, *PATHS)


@pytest.fixture(scope="session")
def reports(project: Path, second_demo_run: Build) -> Mapping[str, str]:
    """What `adaptive_report` prints after two runs, by format."""
    told = {}
    for format_ in ("table", "json"):
        operation = ["run-operation", "adaptive_report", "--args", f"{{format: {format_}}}"]
        printed = run(project, "flights_on", *DBT, "--log-format", "json", *operation, *PATHS).output
        messages = [json.loads(line)["info"]["msg"] for line in printed.splitlines()]
        told[format_] = max(messages, key=len)
    return told
