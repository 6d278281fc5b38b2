"""The command `report`: reads artifacts, writes the report, and says what stands in the way."""

from __future__ import annotations

import os
from pathlib import Path

import click

from dbt.adapters.adaptive_spark.conf.extras import pip_install

OUTPUT = "adaptive_spark_report.html"
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option(
    "--target-path",
    type=_FOLDER,
    default="target",
    show_default=True,
    envvar="DBT_TARGET_PATH",
    help="Where dbt has written its artifacts.",
)
@click.option(
    "--docs-path",
    type=_FOLDER,
    help="Where manifest.json and catalog.json are, if elsewhere.  [default: the target path]",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"The page to write.  [default: {OUTPUT} in the target path]",
)
def report(target_path: Path, docs_path: Path | None, output: Path | None) -> None:
    """Writes a page about the last run: where the time went, what filters, joins and plans did, and what to do.

    It reads dbt's artifacts, and needs neither Spark nor the project.
    """
    # sqlglot and Jinja take a quarter of a second, for which --help does not wait
    from dbt.adapters.adaptive_spark.report.artifacts import ArtifactError, artifacts
    from dbt.adapters.adaptive_spark.report.page import report_page
    from dbt.adapters.adaptive_spark.response.numbers import size

    plotly = _plotly()
    try:
        found = artifacts(target_path, docs_path or target_path)
    except ArtifactError as error:
        raise click.ClickException(str(error)) from error
    path = output or target_path / OUTPUT
    page = report_page(found, plotly).encode("utf-8", "replace")  # names may hold half a character
    try:
        _replace(path, page)
    except OSError as error:
        raise click.ClickException(
            f"{path} cannot be written: {error.strerror}. Say another place with --output."
        ) from error
    click.echo(f"Wrote {path} ({size(len(page))}).")


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs  # an extra
    except ImportError as error:
        raise click.ClickException(f"The report's charts need plotly: {pip_install('report')}") from error
    return str(get_plotlyjs())


def _replace(path: Path, content: bytes) -> None:
    """Writes the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
