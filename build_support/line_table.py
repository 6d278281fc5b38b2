"""The table of docs/reference/spark-lines.md, from the result files that `make test-spark` writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from build_support.builds import ROOT, Build, builds
from build_support.format_jars import release
from build_support.generated_table import replaced, update
from dbt.adapters.adaptive_spark.spark import table_formats

PAGE = ROOT / "docs" / "reference" / "spark-lines.md"
RESULTS = ROOT / "jvm" / "tested"
SUITES = {
    "scala": "Scala suites",
    "session": "`session`",
    "functional": "`functional`",
    "engine": "`engine`",
    "example": "`example`",
}
# Their tests are among the suites.
FORMATS = {name: each.title for name, each in table_formats.FORMATS.items()}
BEGIN, END = "<!-- from jvm/tested -->", "<!-- end -->"


def result(build: Build) -> Path:
    """Where a build's results stand, or would."""
    return RESULTS / f"{build.spark}_{build.scala}.json"


def spark_of(build: Build) -> str:
    """The Spark that a build is compiled with."""
    source = "Maven Central's Spark" if build.jars else "pyspark"
    return f"{source} {build.pyspark}"


def rows(results: Mapping[Build, Mapping[str, Any]]) -> Iterator[str]:
    """The table, by build, and below it why tests were skipped."""
    titles = [*SUITES.values(), *FORMATS.values()]
    yield f"| Line | Scala | Jar | Compiled with | {' | '.join(titles)} |"
    yield "|---" * (len(titles) + 4) + "|"
    for build, tested in results.items():
        suites = tested.get("suites", {})
        cells = [_cell(suites.get(name)) for name in SUITES]
        cells += [_cell(suites.get(name)) if release(name, build) else "no release" for name in FORMATS]
        jar = f"`{build.jar.name}` | {spark_of(build)}"
        yield f"| {build.spark} | {build.scala} | {jar} | {' | '.join(cells)} |"
    notes = list(_skipped(results))
    if notes:
        yield from ["", "| Line | Suite | Skipped | Why |", "|---|---|---|---|", *notes]


def _cell(suite: Mapping[str, Any] | None) -> str:
    if suite is None:
        return "not run yet"
    counts = {
        "passed": suite["passed"],
        "failed": len(suite["failed"]),
        "skipped": sum(suite["skipped"].values()),
    }
    ended = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count or word == "passed")
    return f"{ended} at `{suite['commit']}`"


def _skipped(results: Mapping[Build, Mapping[str, Any]]) -> Iterator[str]:
    for build, tested in results.items():
        suites = tested.get("suites", {})
        for name in (each for each in SUITES if each in suites):
            for why, count in suites[name]["skipped"].items():
                yield f"| {build.spark} | {SUITES[name]} | {count} | {why.replace('|', ' ')} |"


def page() -> str:
    """The page with the table as the result files have it."""
    text = PAGE.read_text(encoding="utf-8")
    found = {
        build: json.loads(result(build).read_text(encoding="utf-8")) if result(build).is_file() else {}
        for build in builds()
    }
    return replaced(text, BEGIN, END, rows(found))


def write() -> Path:
    """Brings the page up to date."""
    update(PAGE, page(), RESULTS, [])
    return PAGE


def main(arguments: list[str]) -> int:
    """1 if `--check` finds that the page has another table than the results."""
    return update(PAGE, page(), RESULTS, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
