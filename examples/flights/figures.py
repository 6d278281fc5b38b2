"""The demo's closing table: four things that Spark did, each with figures from the artifacts of its two runs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import click

from dbt.adapters.adaptive_spark.response.numbers import counted
from dbt.adapters.adaptive_spark.response.plan_changes import operator_name
from filter_tables import Filter, filters_of, models_of

PRUNED = "storm_departures"
PLANNED = "rebooking_options"
REORDERED = "late_narrowbodies"


@dataclass(frozen=True)
class Run:
    """A run of the project: dbt's run_results.json, and the join that Spark plans for the
    model PLANNED, as EXPLAIN names it.
    """

    results: Mapping[str, Any]
    planned_join: str | None

    @property
    def filters(self) -> list[Filter]:
        return [each for result in models_of(self.results).values() for each in filters_of(result)]

    def placed(self, model: str) -> Mapping[str, Any] | None:
        """A model's first dynamic filter that a scan was given, as in its `adapter_response`; None if there is none."""
        found = models_of(self.results)[model]["adapter_response"].get("dynamic_filters") or []
        return next((each for each in found if each["verdict_code"] == "filtered"), None)


@dataclass(frozen=True)
class Figure:
    """A line of the table. `model`: whose details on the page show it."""

    shown: str
    before: str
    after: str
    model: str


def figures(first: Run, second: Run) -> list[Figure]:
    """The figures of a run that starts from nothing and without statistics, and of the run after it."""
    return [_reordered(first), _pruned(second), _planned(first, second), _remembered(first, second)]


def _reordered(run: Run) -> Figure:
    moved = sum(each.moved for each in run.filters)
    return Figure(
        "filters reorder themselves",
        counted(len(run.filters), "filter") + " as written",
        f"{moved} in another order",
        REORDERED,
    )


def _pruned(run: Run) -> Figure:
    scan = run.placed(PRUNED)
    if scan is None or not scan["rows_total"]:
        return Figure("a join skips data", "no scan was filtered", "", PRUNED)
    read = scan["rows_read"]
    share = f"{read / scan['rows_total']:.1%}"
    return Figure(
        "a join skips data", f"about {scan['rows_total']:,} rows", f"{read:,} read ({share})", PRUNED
    )


def _planned(first: Run, second: Run) -> Figure:
    return Figure("statistics change a plan", _join(first), _join(second), PLANNED)


def _join(run: Run) -> str:
    name = operator_name(run.planned_join or "no join")
    keys = run.placed(PLANNED)
    return name if keys is None else f"{name}, {keys['build_rows']:,} rows"


def _remembered(first: Run, second: Run) -> Figure:
    before, after = (sum(each.reorderings for each in run.filters) for run in (first, second))
    began = sum(each.began_in_its_order for each in second.filters)
    return Figure(
        "a run starts from the last",
        counted(before, "change") + " of order",
        f"{after}; {counted(began, 'filter')} needed none",
        "weather_disruptions",
    )


def table(lines: Sequence[Figure]) -> Iterator[str]:
    """Aligned columns, the heading first, and what the rows of a join are."""
    rows = [("shown", "before", "after", "on the page"), *map(astuple, lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        yield click.style(line, dim=True) if number == 0 else line
    yield "\nRows beside a join: those of the side that it reads first, whose keys prune the other side."
