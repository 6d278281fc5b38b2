"""The tables of docs/reference/spark-lines.md, from the files that `make test-spark` and `make test-random` write."""

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
# dbt's own suite on tables of a format, by the format.
DBT = {name: f"dbt-{name}" for name in FORMATS}
_TITLES = {**SUITES, **{suite: f"`{suite}`" for suite in DBT.values()}}
BEGIN, END = "<!-- from jvm/tested -->", "<!-- end -->"
BEGIN_RANDOM, END_RANDOM = "<!-- random tests, from jvm/tested -->", "<!-- end of random tests -->"
# By the name of a kind of random test; those over tables of a format have its name before theirs.
RANDOM = {"trees": "Filters", "joins": "Joins", "merges": "`MERGE`s", "tpcds": "Queries of TPC-DS × joins"}


def suites_of(build: Build) -> list[str]:
    """The suites that a build's Spark is tested by."""
    return [*SUITES, *(suite for name, suite in DBT.items() if release(name, build))]


def result(build: Build) -> Path:
    """Where a build's results stand, or would."""
    return RESULTS / f"{build.spark}_{build.scala}.json"


def saved(build: Build) -> dict[str, Any]:
    """A build's results, empty where there are none."""
    file = result(build)
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}


def save(build: Build, part: str, entries: Mapping[str, Any]) -> Path:
    """Writes entries into the part `suites` or `random` of a build's results; other entries stay."""
    before = saved(build)
    file = result(build)
    file.parent.mkdir(exist_ok=True)
    now = {**before, "pyspark": build.pyspark, part: {**before.get(part, {}), **entries}}
    file.write_text(f"{json.dumps(now, indent=2)}\n", encoding="utf-8")
    return file


def add_random(build: Build, name: str, cases: int, at: str) -> None:
    """Adds cases without a difference to those of a kind; `at` is the commit of the last."""
    before = saved(build).get("random", {}).get(name, {}).get("cases", 0)
    set_random(build, name, before + cases, at)


def set_random(build: Build, name: str, cases: int, at: str) -> None:
    """Says how many cases of a kind had no difference."""
    save(build, "random", {name: {"cases": cases, "commit": at}})


def spark_of(build: Build) -> str:
    """The Spark that a build is compiled with."""
    source = "Maven Central's Spark" if build.jars else "pyspark"
    return f"{source} {build.pyspark}"


def rows(results: Mapping[Build, Mapping[str, Any]]) -> Iterator[str]:
    """The table, by build, and below it why tests were skipped."""
    titles = [*_TITLES.values(), *FORMATS.values()]
    yield f"| Line | Scala | Jar | Compiled with | {' | '.join(titles)} |"
    yield "|---" * (len(titles) + 4) + "|"
    for build, tested in results.items():
        suites = tested.get("suites", {})
        cells = [_cell(suites.get(name)) for name in SUITES]
        of_formats = [*DBT.items(), *((name, name) for name in FORMATS)]
        cells += [
            _cell(suites.get(suite)) if release(name, build) else "no release" for name, suite in of_formats
        ]
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
        for name in (each for each in _TITLES if each in suites):
            for why, count in suites[name]["skipped"].items():
                yield f"| {build.spark} | {_TITLES[name]} | {count} | {why.replace('|', ' ')} |"


def random_rows(results: Mapping[Build, Mapping[str, Any]]) -> Iterator[str]:
    """The table of random tests, by build and by the tables that they are over."""
    yield f"| Line | Scala | Tables | {' | '.join(RANDOM.values())} |"
    yield "|---" * (len(RANDOM) + 3) + "|"
    for build, tested in results.items():
        found = tested.get("random", {})
        own = [_cases(found.get(name)) if name != "merges" else "" for name in RANDOM]
        yield f"| {build.spark} | {build.scala} | Spark's own | {' | '.join(own)} |"
        for format_, title in FORMATS.items():
            if release(format_, build):
                cells = [_cases(found.get(f"{format_}-{name}")) if name != "tpcds" else "" for name in RANDOM]
                yield f"| {build.spark} | {build.scala} | {title} | {' | '.join(cells)} |"


def _cases(kind: Mapping[str, Any] | None) -> str:
    return "none yet" if kind is None else f"{kind['cases']:,} at `{kind['commit']}`"


def page() -> str:
    """The page with the tables as the result files have them."""
    text = PAGE.read_text(encoding="utf-8")
    found = {build: saved(build) for build in builds()}
    suites = replaced(text, BEGIN, END, rows(found))
    return replaced(suites, BEGIN_RANDOM, END_RANDOM, random_rows(found))


def write() -> Path:
    """Brings the page up to date."""
    update(PAGE, page(), RESULTS, [])
    return PAGE


def main(arguments: list[str]) -> int:
    """1 if `--check` finds that the page has another table than the results."""
    return update(PAGE, page(), RESULTS, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
