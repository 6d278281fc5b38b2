"""The example project built in a copy of its own: twice by the demo, and once without filters and statistics."""

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
LARGE = "flight_history"


@dataclass(frozen=True)
class Build:
    """One build: its results by model, and its tables' rows. `counts` has the table of millions of rows, too."""

    models: Mapping[str, Any]
    rows: Mapping[str, Counter[tuple[Any, ...]]]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Demo:
    """Its console text, the results of its two runs, and the catalogs after them.

    The rows are those of the second run.
    """

    output: str
    first: Mapping[str, Any]
    second: Build
    catalogs: tuple[Mapping[str, Any], Mapping[str, Any]]


def dataset_of(directory: Path) -> pyarrow.dataset.Dataset:
    """A table, read without Spark."""
    return pyarrow.dataset.dataset(directory, format="parquet", partitioning="hive")


def rows_of(directory: Path) -> Counter[tuple[Any, ...]]:
    """A table's rows as a multiset."""
    table = dataset_of(directory).to_table()
    columns = [table.column(name).to_pylist() for name in sorted(table.column_names)]
    return Counter(zip(*columns, strict=True))


def run(project: Path, schema: str, *command: str) -> str:
    """The output of a program that succeeds."""
    environment = {**os.environ, "FLIGHTS_HOME": str(project), "FLIGHTS_SCHEMA": schema}
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def artifact(project: Path, folder: str, name: str) -> Mapping[str, Any]:
    return json.loads((project / ".local" / folder / name).read_text())


def models(project: Path, folder: str) -> Mapping[str, Any]:
    """The results of tables, by model."""
    return {
        result["unique_id"].split(".")[-1]: result
        for result in artifact(project, folder, "run_results.json")["results"]
        if result["unique_id"].startswith("model.")
        and not result["relation_name"].split(".")[-1].startswith("stg_")
    }


def build(project: Path, schema: str) -> Build:
    results = models(project, "target")
    warehouse = project / ".local" / "warehouse" / f"{schema}.db"
    rows = {name: rows_of(warehouse / name) for name in results if name != LARGE}
    return Build(results, rows, {name: dataset_of(warehouse / name).count_rows() for name in results})


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("example") / "flights"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns(".local", "target", "logs", "__pycache__"))
    return copy


@pytest.fixture(scope="session")
def demo_run(project: Path) -> Demo:
    output = run(project, "flights_on", "demo.py")
    catalogs = tuple(artifact(project, folder, "catalog.json") for folder in ("first_run", "target"))
    return Demo(output, models(project, "first_run"), build(project, "flights_on"), catalogs)


@pytest.fixture(scope="session")
def reports(project: Path, demo_run: Demo) -> Mapping[str, str]:
    """The output of `adaptive_report` after two runs, by format."""
    told = {}
    for format_ in ("table", "json"):
        operation = ["run-operation", "adaptive_report", "--args", f"{{format: {format_}}}"]
        printed = run(project, "flights_on", *DBT, "--log-format", "json", *operation, *PATHS)
        messages = [json.loads(line)["info"]["msg"] for line in printed.splitlines()]
        told[format_] = max(messages, key=len)
    return told


@pytest.fixture(scope="session")
def plain_run(project: Path, demo_run: Demo) -> Build:
    """After the demo, which wrote the sources. The project's own tests run here."""
    off = "{adaptive_filter: false, dynamic_filter: false, analyze: 'off'}"
    run(project, "flights_off", *DBT, "build", "--vars", off, *PATHS)
    return build(project, "flights_off")
