"""Each node's part of the report, as its template takes it: words, shares of bars, and the figures that charts are drawn from. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dbt.adapters.adaptive_spark.learned.evidence import NodeMemory, Nodes
from dbt.adapters.adaptive_spark.learned.order_history import taken
from dbt.adapters.adaptive_spark.report import dynamic_filter_advice
from dbt.adapters.adaptive_spark.report.manifest import ProjectNode
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter, Filter, NodeResult
from dbt.adapters.adaptive_spark.report.statistics_advice import not_counted
from dbt.adapters.adaptive_spark.report.statistics_gaps import TableStatistics
from dbt.adapters.adaptive_spark.response.numbers import about, cost, counted, share, size
from dbt.adapters.adaptive_spark.response.plan_changes import chips, sentences
from dbt.adapters.adaptive_spark.response.predicate_text import (
    added_by_spark,
    nested,
    without_catalog,
    without_table,
)
from dbt.adapters.adaptive_spark.response.statement_response import filtered_words, reordered_words

# A page of any number of models stays one that a browser opens.
_MOST_PARTS = 20
_MOST_CONJUNCTS = 60
_MOST_LINES = 40
_LONGEST_TEXT = 400
_DEEPEST = 8
_COLORS = 10
_BYTES = "bytes read"


@dataclass(frozen=True)
class GroupView:
    """A row of a filter's table that stands above the conditions which an AND or an OR joins."""

    operator: str
    depth: int


@dataclass(frozen=True)
class ConjunctView:
    """A row of a filter's table: a condition that moves as a whole.

    Places count from 1, bars are percentages, `color` is that of its line in the chart. `lines` are the condition's own ANDs and ORs and what they join,
    each with how deep it stands; `depth` is how many ANDs and ORs stand above the row. `added` is the kind of a condition that Spark has added.
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
    """`rows` are the conditions with the ANDs and ORs above them. `chart` is the key of its chart's figures, None where fewer than two runs are known."""

    table: str | None
    sentence: str
    conjuncts: Sequence[ConjunctView]
    rows: Sequence[GroupView | ConjunctView]
    more: int
    chart: str | None


@dataclass(frozen=True)
class ScanView:
    """A dynamic filter or the refusal of one; `figures` are names with values, and percentages for a bar."""

    scan: str
    keys: str
    words: str
    figures: Sequence[tuple[str, str, float | None]]

    @property
    def counts_bytes(self) -> bool:
        return any(name == _BYTES for name, *_ in self.figures)


@dataclass(frozen=True)
class NodeView:
    """A node's entry; `happened` sorts by what adaptive filters, joins and plans did, `chips` say it in a few words each."""

    anchor: str
    result: NodeResult
    name: str
    kind: str
    path: str
    chips: Sequence[str]
    happened: int
    bar: float
    filters: Sequence[FilterView]
    scans: Sequence[ScanView]
    changes: Sequence[str]
    statistics: TableStatistics | None
    not_counted: Sequence[str]
    more: int

    @property
    def has_details(self) -> bool:
        return bool(self.filters or self.scans or self.changes or self.statistics or self.result.has_failed)

    @property
    def search(self) -> str:
        """What the search box looks through: names, tables and predicates in lower case."""
        texts = [self.result.unique_id, self.name, self.kind, self.path, self.result.status]
        texts += [each.text for filter_ in self.filters for each in filter_.conjuncts]
        texts += [filter_.table or "" for filter_ in self.filters] + [each.scan for each in self.scans]
        return " ".join(texts).lower()


Charts = dict[str, Any]


def node_views(
    results: Sequence[NodeResult],
    nodes: Mapping[str, ProjectNode],
    statistics: Iterable[TableStatistics],
    memory: Nodes,
) -> tuple[list[NodeView], Charts]:
    """Failed ones first, then the slowest; and the figures of their charts by key."""
    charts: Charts = {}
    of_table = {table.node.unique_id: table for table in statistics}
    slowest = max((result.seconds for result in results), default=0) or 1
    views = []
    for at, result in enumerate(sorted(results, key=_failed_then_slowest)):
        filters, of_filters = _filters(f"n{at}", result, memory.get(result.unique_id))
        charts |= of_filters
        node, table = nodes.get(result.unique_id), of_table.get(result.unique_id)
        changes = sentences(result.changes)
        views.append(
            NodeView(
                anchor=f"n{at}",
                result=result,
                name=node.name if node is not None else result.unique_id,
                kind=_kind(node, result),
                path=node.path if node is not None else "",
                chips=_chips(result, table),
                happened=_happened(result, table),
                bar=_percent(result.seconds / slowest),
                filters=filters,
                scans=[_scan(each) for each in result.dynamic[:_MOST_PARTS]],
                changes=changes[:_MOST_PARTS],
                statistics=table,
                not_counted=not_counted(table) if table is not None else (),
                more=sum(
                    max(0, len(each) - _MOST_PARTS) for each in (result.filters, result.dynamic, changes)
                ),
            )
        )
    return views, charts


def _failed_then_slowest(result: NodeResult) -> tuple[bool, float, str]:
    return (not result.has_failed, -result.seconds, result.unique_id)


def _filters(anchor: str, result: NodeResult, known: NodeMemory | None) -> tuple[list[FilterView], Charts]:
    """With the charts of those whose order is known of two runs or more."""
    waiting = list(known.orders) if known is not None else []
    views: list[FilterView] = []
    charts: Charts = {}
    for number, each in enumerate(result.filters[:_MOST_PARTS]):
        history = taken(waiting, each.written)
        runs = history.runs if history is not None else {}
        key = f"{anchor}f{number}" if len(runs) > 1 else None
        views.append(_filter(each, key))
        if key is not None:
            charts[key] = _chart(views[-1], each, runs)
    return views, charts


def _kind(node: ProjectNode | None, result: NodeResult) -> str:
    if node is None:
        return result.unique_id.partition(".")[0]
    return f"{node.kind}, {node.materialized}" if node.kind == "model" and node.materialized else node.kind


def _chips(result: NodeResult, table: TableStatistics | None) -> list[str]:
    scans = filtered_scans(result)
    useful, in_vain = (sum(each.drops_rows is drops for each in scans) for drops in (True, False))
    words = [
        *reordered_words(
            sum(each.has_order for each in result.filters), sum(each.is_reordered for each in result.filters)
        ),
        *filtered_words(useful, in_vain),
        *chips(result.changes),
    ]
    if table is not None and table.wants_statistics:
        words.append(f"{counted(len(table.lacking), 'column')} without statistics")
    return words


def _happened(result: NodeResult, table: TableStatistics | None) -> int:
    """Failures before all, then what changed most."""
    changes = sum(len(each) for kind, each in result.changes.items() if kind != "coalesced")
    return (
        1000 * result.has_failed
        + 10 * sum(each.drops_rows is True for each in filtered_scans(result))
        + 10 * sum(each.is_reordered for each in result.filters)
        + 5 * changes
        + 2 * (table is not None and table.wants_statistics)
        + bool(result.changes)
    )


def filtered_scans(result: NodeResult) -> list[DynamicFilter]:
    """One filter for each scan that has any: the counts of a scan are those of all its filters together."""
    scans = {
        (each.scan, each.rows_total, each.rows_read, each.bytes_read): each
        for each in result.dynamic
        if each.is_filtered
    }
    return list(scans.values())


def _filter(found: Filter, chart: str | None) -> FilterView:
    table, texts = without_table([each.predicate for each in found.conjuncts])
    most = max((each.cost_ns or 0 for each in found.conjuncts), default=0) or 1
    places = sorted(each.written for each in found.conjuncts)
    rows = [
        ConjunctView(
            place=place,
            written=places.index(each.written) + 1,
            text=_cut(text),
            lines=[(depth, _cut(line)) for depth, line in nested(text)[:_MOST_LINES]],
            selectivity="" if each.selectivity is None else share(each.selectivity),
            selectivity_bar=_percent(each.selectivity or 0),
            cost="" if each.cost_ns is None else cost(each.cost_ns),
            cost_bar=_percent((each.cost_ns or 0) / most),
            rank=_rank(each.rank),
            may_throw=each.may_throw,
            added=added_by_spark(each.predicate),
            color=places.index(each.written) % _COLORS,
        )
        for place, (each, text) in enumerate(zip(found.conjuncts, texts, strict=True), start=1)
    ]
    shown = rows[:_MOST_CONJUNCTS]
    branches = [each.branch for each in found.conjuncts]
    return FilterView(
        table=None if table is None else without_catalog(table),
        sentence=_sentence(found),
        conjuncts=shown,
        rows=list(_tree([*zip(branches, shown, strict=False)])),
        more=max(0, len(rows) - _MOST_CONJUNCTS),
        chart=chart,
    )


def _tree(
    found: Sequence[tuple[tuple[str, ...], ConjunctView]], depth: int = 0
) -> Iterator[GroupView | ConjunctView]:
    """The conditions below the ANDs and ORs that their branches name; each of these stands where the first of its conditions does."""
    nodes: dict[str | int, list[tuple[tuple[str, ...], ConjunctView]]] = {}
    for at, (branch, view) in enumerate(found):
        nodes.setdefault(branch[depth] if depth < min(len(branch), _DEEPEST) else at, []).append(
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
    if not found.reorderings:
        return "The written order stayed, since no other was clearly quicker."
    is_moved = any(each.written != each.place for each in found.conjuncts)
    return f"{changed} and ended as written{', apart from conditions that Spark adds' if is_moved else ''}."


def _rank(rank: float | None) -> str:
    if rank is None:
        return ""
    return "decides none" if math.isinf(rank) else cost(rank)


def _scan(found: DynamicFilter) -> ScanView:
    figures: list[tuple[str, str, float | None]] = []
    if found.build_rows is not None:
        keys = "" if found.build_keys is None else f", {counted(found.build_keys, 'distinct key')}"
        figures.append(("the other side of the join", f"{counted(found.build_rows, 'row')}{keys}", None))
    if found.kind is not None:
        ranges = f", as {counted(found.ranges, 'range')}" if found.ranges and found.kind != "ranges" else ""
        of_ranges = f"{found.ranges:,} " if found.ranges and found.kind == "ranges" else ""
        figures.append(
            ("files were skipped by", f"{of_ranges}{_KINDS.get(found.kind, found.kind)}{ranges}", None)
        )
    if found.row_test is not None:
        figures.append(("each row was checked by", _ROW_TESTS.get(found.row_test, found.row_test), None))
    if found.rows_read is not None:
        total = found.rows_total
        of = f" of about {about(total)} (estimate)" if total is not None else ""
        figures.append(("rows read", f"{found.rows_read:,}{of}", _percent(found.rows_read / total) if total else None))  # fmt: skip
    for name, read, total, words in (
        (_BYTES, found.bytes_read, found.bytes_total, size),
        ("row groups read (blocks of a file)", found.row_groups_read, found.row_groups, "{:,}".format),
    ):
        if read is not None:
            of = f" of {words(total)}" if total is not None else ""
            figures.append((name, f"{words(read)}{of}", _percent(read / total) if total else None))
    if found.wait_ms is not None:
        figures.append(("waited for the keys", f"{found.wait_ms:,} ms", None))
    return ScanView(
        scan=without_catalog(found.scan) or "A join",
        keys=_cut(without_catalog(f"{found.probe_key} = {found.build_key}")),
        words=_cut(dynamic_filter_advice.words(found)),
        figures=figures,
    )


_KINDS = {
    "empty": "no key at all, so nothing was read",
    "values": "a list of keys",
    "ranges": "ranges of keys",
}
_ROW_TESTS = {
    "bitmap": "a bitmap of the keys",
    "set": "a hash set of the keys",
    "bloom": "a bloom filter of the keys (lets a few others pass)",
}


def _chart(view: FilterView, found: Filter, runs: Mapping[str, Sequence[int]]) -> Mapping[str, Any]:
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


def _percent(part: float) -> float:
    return round(100 * min(max(part, 0.0), 1.0), 1)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
