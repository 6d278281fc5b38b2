"""The table of docs/reference/versions.md, from the results that `make test-installs` writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from build_support.builds import ROOT
from build_support.generated_table import replaced, update
from build_support.install_cells import Cell, cells

PAGE = ROOT / "docs" / "reference" / "versions.md"
RESULTS = ROOT / "build_support" / "installs.json"
# The Python of the cells that are about something else: what each line of Spark takes.
BASE = "3.11"
BEGIN, END = "<!-- from build_support/installs.json -->", "<!-- end -->"


def read() -> dict[str, Any]:
    """The results so far."""
    if not RESULTS.is_file():
        return {"size": {}, "cells": {}}
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def rows(all_cells: Sequence[Cell], results: Mapping[str, Any]) -> Iterator[str]:
    """The table, by cell, and below it the size of the package."""
    yield "| Python | Extras | dbt-core | pyspark | Ended | On |"
    yield "|---|---|---|---|---|---|"
    for cell in all_cells:
        extras = ", ".join(f"`{extra}`" for extra in cell.extras) or "none"
        yield f"| {cell.python} | {extras} | {_ended(cell, results['cells'].get(cell.name))} |"
    if results["size"]:
        size = results["size"]
        yield ""
        yield f"The wheel, with the jars of {size['lines']} lines of Spark, has {size['wheel_mb']} MB. Installed where dbt-core is,"
        yield f"it took {size['seconds']} s and adds {size['adds_mb']} MB, with what it requires."


def _ended(cell: Cell, result: Mapping[str, Any] | None) -> str:
    if result is None:
        return f"{cell.dbt} | {cell.spark} | not run yet | "
    dbt, pyspark = (result["versions"][name] or "none" for name in ("dbt-core", "pyspark"))
    if result["without_parser"]:
        dbt += ", no parser"
    ended = f"{len(result['passed'])} steps passed"
    if result["failed"]:
        ended += f", then {result['failed'].replace('|', ' ')}"
    return f"{dbt} | {pyspark} | {ended} | {result['on']}"


def page() -> str:
    """The page with the table as the results have it."""
    return replaced(PAGE.read_text(encoding="utf-8"), BEGIN, END, rows(list(cells(BASE)), read()))


def write() -> None:
    """Brings the page up to date."""
    update(PAGE, page(), RESULTS, [])


def main(arguments: list[str]) -> int:
    """1 if `--check` finds that the page has another table than the results."""
    return update(PAGE, page(), RESULTS, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
