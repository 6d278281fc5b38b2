"""Builds this project twice, from nothing, and prints what Spark learned in the first run
and did with it in the second.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.cli import main as report_command
from figures import PLANNED, Run, figures, table
from filter_tables import models_of, report
from load import load

PROJECT = Path(__file__).resolve().parent
LOCAL = PROJECT / ".local"
TARGET = LOCAL / "target"
FIRST = LOCAL / "first_run"
ARTIFACTS = ("run_results.json", "manifest.json", "catalog.json", "adaptive_filters.json")

_JOIN = re.compile(r"\b\w+Join\b")


def forget(local: Path) -> None:
    """Removes what an earlier demo built and learned. The source files stay."""
    for folder in map(local.joinpath, ("target", "first_run", "warehouse", "metastore")):
        if folder.exists():
            shutil.rmtree(folder)


def dbt(*command: str) -> None:
    """Runs dbt on this project, in this process. Ends the demo if dbt fails."""
    paths = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    written = ["--target-path", str(TARGET), "--log-path", str(LOCAL / "logs")]
    if not dbtRunner().invoke([*command, *paths, *written]).success:
        sys.exit(1)


def run(*options: str) -> Run:
    """A run of all models, and what dbt's docs say of their tables. Its Spark is left running."""
    dbt("build", "--exclude-resource-type", "test", *options)
    results = json.loads((TARGET / "run_results.json").read_text())
    dbt("--quiet", "docs", "generate", "--no-compile", *options)
    return Run(results, planned_join(models_of(results)[PLANNED]["compiled_code"]))


def planned_join(sql: str) -> str | None:
    """The topmost join of the plan with which Spark would start the query."""
    plan = SparkSession.builder.getOrCreate().newSession().sql(f"explain {sql}").first()
    found = _JOIN.search(plan[0]) if plan else None
    return found[0] if found else None


def pages(folders: Sequence[Path]) -> None:
    click.echo("A page for each run, which needs no network. Open one in a browser:")
    for folder in folders:
        page = folder / "adaptive_spark_report.html"
        report_command(["report", "--target-path", str(folder), "--output", str(page)], standalone_mode=False)
        click.echo(f"  {page.as_uri()}")


def heading(text: str) -> None:
    click.echo("\n" + click.style(text, bold=True))


def main() -> None:
    os.environ["FLIGHTS_HOME"] = str(PROJECT)
    forget(LOCAL)
    for name, rows in load(LOCAL / "raw").items():
        click.echo(f"Wrote {rows:,} rows of {name} as Parquet")
    heading("First run: nothing is known, and no statistics are collected")
    first = run("--vars", "{analyze: 'off'}")
    FIRST.mkdir()
    for artifact in ARTIFACTS:
        shutil.copy(TARGET / artifact, FIRST)
    SparkSession.builder.getOrCreate().stop()
    heading("Second run: a new Spark, with statistics and with what the first run learned")
    second = run()
    click.echo("\n" + report(first.results))
    heading("What Spark did, from the artifacts of the two runs")
    click.echo("\n" + "\n".join(table(figures(first, second))) + "\n")
    pages((FIRST, TARGET))


if __name__ == "__main__":
    main()
