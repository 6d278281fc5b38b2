"""What the report shows of each node, as its template takes it: words, shares of bars, and what charts are drawn from. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.adaptive_spark.learned.evidence import NodeMemory, Nodes
from dbt.adapters.adaptive_spark.learned.order_history import taken
from dbt.adapters.adaptive_spark.report import dynamic_filter_advice
from dbt.adapters.adaptive_spark.report.manifest import ProjectNode
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter, Filter, NodeResult
from dbt.adapters.adaptive_spark.report.statistics_gaps import TableStatistics
from dbt.adapters.adaptive_spark.response.numbers import cost, counted, share, size
from dbt.adapters.adaptive_spark.response.plan_changes import sentences, summary
from dbt.adapters.adaptive_spark.response.predicate_text import added_by_spark, without_table
from dbt.adapters.adaptive_spark.response.statement_response import reordered_words

# A page of any number of models stays one that a browser opens.
_MOST_PARTS = 20
_MOST_CONJUNCTS = 60
_LONGEST_TEXT = 400
_COLORS = 10


@dataclass(frozen=True)
class ConjunctView:
    """A row of a filter's table; places count from 1, bars are percentages, `color` is that of its line in the chart. `added` is the kind
    of a predicate that Spark has added.
    """

    place: int
    written: int
    text: str
    selectivity: str
    selectivity_bar: float
    cost: str
    cost_bar: float
    rank: str
    may_throw: bool
    added: str | None
    color: int


@dataclass(frozen=True)
class FilterView:
    """`chart` is the key of its chart's figures, None where fewer than two runs are known."""

    table: str | None
    sentence: str
    conjuncts: Sequence[ConjunctView]
    more: int
    chart: str | None


@dataclass(frozen=True)
class ScanView:
    """A dynamic filter or the refusal of one; `figures` are names with values, bars the shares that were read."""

    scan: str
    keys: str
    words: str
    is_filtered: bool
    figures: Sequence[tuple[str, str, float | None]]


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
    """Slowest first, and the figures of their charts by key."""
    charts: Charts = {}
    of_table = {table.node.unique_id: table for table in statistics}
    slowest = max((result.seconds for result in results), default=0) or 1
    views = []
    for at, result in enumerate(sorted(results, key=lambda each: (-each.seconds, each.unique_id))):
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
                more=sum(
                    max(0, len(each) - _MOST_PARTS) for each in (result.filters, result.dynamic, changes)
                ),
            )
        )
    return views, charts


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
    chips = reordered_words(
        sum(each.has_order for each in result.filters), sum(each.is_reordered for each in result.filters)
    )
    if useful:
        chips.append(f"{counted(useful, 'scan')} filtered by joins")
    if in_vain:
        chips.append(f"{counted(in_vain, 'scan')} filtered in vain")
    chips += summary(result.changes)
    if table is not None and table.wants_statistics:
        chips.append(f"{counted(len(table.lacking), 'column')} without statistics")
    return chips


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
    return FilterView(
        table=table,
        sentence=_sentence(found),
        conjuncts=rows[:_MOST_CONJUNCTS],
        more=max(0, len(rows) - _MOST_CONJUNCTS),
        chart=chart,
    )


def _sentence(found: Filter) -> str:
    sampled = max((each.monitored for each in found.conjuncts), default=0)
    samples = f"; {sampled:,} sampled" if sampled else ""
    return f"{_order(found)} {counted(found.rows_in, 'row')} in, {found.rows_out:,} out{samples}."


def _order(found: Filter) -> str:
    if not any(each.monitored for each in found.conjuncts):
        return "It met too few rows to learn from."
    changed = f"Its order changed {'once' if found.reorderings == 1 else f'{found.reorderings:,} times'}"
    if found.is_reordered:
        return (
            f"{changed}."
            if found.reorderings
            else "It started in another order than the written one and kept it."
        )
    if not found.reorderings:
        return "The written order stayed."
    is_moved = any(each.written != each.place for each in found.conjuncts)
    return f"{changed} and ended as written{', but for what Spark adds' if is_moved else ''}."


def _rank(rank: float | None) -> str:
    if rank is None:
        return ""
    return "last" if math.isinf(rank) else cost(rank)


def _scan(found: DynamicFilter) -> ScanView:
    figures: list[tuple[str, str, float | None]] = []
    if found.build_rows is not None:
        keys = "" if found.build_keys is None else f", {counted(found.build_keys, 'key')}"
        figures.append(("build side", f"{counted(found.build_rows, 'row')}{keys}", None))
    if found.kind is not None:
        ranges = f", {counted(found.ranges, 'range')}" if found.ranges else ""
        figures.append(("given to the scan", f"{_KINDS.get(found.kind, found.kind)}{ranges}", None))
    if found.row_test is not None:
        figures.append(("each row tested by", _ROW_TESTS.get(found.row_test, found.row_test), None))
    for name, read, total, words in (
        ("rows read", found.rows_read, found.rows_total, "{:,}".format),
        ("bytes read", found.bytes_read, found.bytes_total, size),
        ("row groups read", found.row_groups_read, found.row_groups, "{:,}".format),
    ):
        if read is not None:
            of = f" of {words(total)}" if total is not None else ""
            figures.append((name, f"{words(read)}{of}", _percent(read / total) if total else None))
    if found.wait_ms is not None:
        figures.append(("wait for keys", f"{found.wait_ms:,} ms", None))
    return ScanView(
        scan=found.scan or "no scan below",
        keys=_cut(f"{found.probe_key} in keys of {found.build_key}"),
        words=_cut(dynamic_filter_advice.words(found)),
        is_filtered=found.is_filtered,
        figures=figures,
    )


_KINDS = {"empty": "no key at all", "values": "a list of keys", "ranges": "ranges of keys"}
_ROW_TESTS = {"bitmap": "a bitmap of keys", "set": "a hash set of keys", "bloom": "a bloom filter of keys"}


def _chart(view: FilterView, found: Filter, runs: Mapping[str, Sequence[int]]) -> Mapping[str, Any]:
    """A line a conjunct: its places, from 1, run after run."""
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
