"""A filter's part of a node's entry: its conditions below the ANDs and ORs that join them, what they cost,
and how its order moved. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dbt.adapters.adaptive_spark.report.page_limits import DEEPEST, MOST_CONJUNCTS, MOST_LINES, cut, percent
from dbt.adapters.adaptive_spark.report.run_results import Filter
from dbt.adapters.adaptive_spark.response.numbers import cost, counted, share
from dbt.adapters.adaptive_spark.response.predicate_text import (
    added_by_spark,
    nested,
    without_catalog,
    without_made_up,
    without_table,
)

_COLORS = 10


@dataclass(frozen=True)
class GroupView:
    """A row of a filter's table that stands above the conditions which an AND or an OR joins."""

    operator: str
    depth: int


@dataclass(frozen=True)
class ConjunctView:
    """A row of a filter's table: a condition that moves as a whole.

    Places count from 1, bars are percentages, `color` is that of its line in the chart. `lines` are the condition's own
    ANDs and ORs and what they join, each with how deep it stands; `depth` is how many ANDs and ORs stand above the row.
    `added` is the kind of a condition that Spark has added.
    """

    place: int
    written: int
    text: str
    lines: Sequence[tuple[int, str]]
    selectivity: str
    selectivity_bar: float
    cost: str
    cost_bar: float
    rank: str
    may_throw: bool
    added: str | None
    color: int
    depth: int = 0


@dataclass(frozen=True)
class FilterView:
    """`rows` are the conditions with the ANDs and ORs above them.

    `chart` is the key of its chart's figures, None where fewer than two runs are known.
    """

    table: str | None
    sentence: str
    conjuncts: Sequence[ConjunctView]
    rows: Sequence[GroupView | ConjunctView]
    more: int
    chart: str | None


def filter_view(found: Filter, chart: str | None) -> FilterView:
    table, texts = without_table([without_made_up(each.predicate) for each in found.conjuncts])
    most = max((each.cost_ns or 0 for each in found.conjuncts), default=0) or 1
    places = sorted(each.written for each in found.conjuncts)
    rows = [
        ConjunctView(
            place=place,
            written=places.index(each.written) + 1,
            text=cut(text),
            lines=[(depth, cut(line)) for depth, line in nested(text)[:MOST_LINES]],
            selectivity="" if each.selectivity is None else share(each.selectivity),
            selectivity_bar=percent(each.selectivity or 0),
            cost="" if each.cost_ns is None else cost(each.cost_ns),
            cost_bar=percent((each.cost_ns or 0) / most),
            rank=_rank(each.rank),
            may_throw=each.may_throw,
            added=added_by_spark(each.predicate),
            color=places.index(each.written) % _COLORS,
        )
        for place, (each, text) in enumerate(zip(found.conjuncts, texts, strict=True), start=1)
    ]
    shown = rows[:MOST_CONJUNCTS]
    branches = [each.branch for each in found.conjuncts]
    return FilterView(
        table=None if table is None else without_catalog(table),
        sentence=_sentence(found),
        conjuncts=shown,
        rows=list(_tree([*zip(branches, shown, strict=False)])),
        more=max(0, len(rows) - MOST_CONJUNCTS),
        chart=chart,
    )


def _tree(
    found: Sequence[tuple[tuple[str, ...], ConjunctView]], depth: int = 0
) -> Iterator[GroupView | ConjunctView]:
    """The conditions below the ANDs and ORs that their branches name; each of these stands where
    the first of its conditions does.
    """
    nodes: dict[str | int, list[tuple[tuple[str, ...], ConjunctView]]] = {}
    for at, (branch, view) in enumerate(found):
        nodes.setdefault(branch[depth] if depth < min(len(branch), DEEPEST) else at, []).append(
            (branch, view)
        )
    for node, below in nodes.items():
        if isinstance(node, str):
            yield GroupView("OR" if node.startswith("OR") else "AND", depth)
            yield from _tree(below, depth + 1)
        else:
            yield replace(below[0][1], depth=depth)


def _sentence(found: Filter) -> str:
    sampled = max((each.monitored for each in found.conjuncts), default=0)
    samples = (
        f" {counted(sampled, 'row')} of these {'was' if sampled == 1 else 'were'} measured."
        if sampled
        else ""
    )
    return (
        f"{counted(found.rows_in, 'row')} went in and {found.rows_out:,} came out.{samples} {_order(found)}"
    )


def _order(found: Filter) -> str:
    if not any(each.monitored for each in found.conjuncts):
        return "These were too few to measure the conditions."
    changed = f"The order changed {'once' if found.reorderings == 1 else f'{found.reorderings:,} times'}"
    if found.is_reordered:
        return (
            f"{changed} while the query ran."
            if found.reorderings
            else "The query started in another order than the written one, which an earlier run, a hint or statistics gave, and kept it."
        )
    is_moved = any(each.written != each.place for each in found.conjuncts)
    apart = ", apart from conditions that Spark adds" if is_moved else ""
    if not found.reorderings:
        return f"No other order was clearly quicker, so the written one stayed{apart}."
    return f"{changed} and ended as written{apart}."


def _rank(rank: float | None) -> str:
    if rank is None:
        return ""
    return "decides none" if math.isinf(rank) else cost(rank)


def chart_of(view: FilterView, found: Filter, runs: Mapping[str, Sequence[int]]) -> Mapping[str, Any]:
    """A line a condition: its places, from 1, run after run."""
    shown = {each.written - 1: each for each in view.conjuncts}
    return {
        "runs": list(runs),
        "lines": [
            {
                "written": written + 1,
                "text": shown[written].text,
                "color": shown[written].color,
                "places": [[*order].index(written) + 1 for order in runs.values()],
            }
            for written in sorted(shown)
        ],
        "conjuncts": len(found.conjuncts),
    }
