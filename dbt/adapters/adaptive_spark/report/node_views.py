"""Each node's part of the report, as its template takes it: words, shares of bars, and the figures
that charts are drawn from. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.adaptive_spark.learned.evidence import NodeMemory, Nodes
from dbt.adapters.adaptive_spark.learned.order_history import taken
from dbt.adapters.adaptive_spark.report.filter_view import FilterView, chart_of, filter_view
from dbt.adapters.adaptive_spark.report.manifest import ProjectNode
from dbt.adapters.adaptive_spark.report.page_limits import MOST_PARTS, percent
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter, NodeResult
from dbt.adapters.adaptive_spark.report.scan_view import ScanView, scan_view
from dbt.adapters.adaptive_spark.report.statistics_advice import not_counted
from dbt.adapters.adaptive_spark.report.statistics_gaps import TableStatistics
from dbt.adapters.adaptive_spark.response.numbers import counted
from dbt.adapters.adaptive_spark.response.plan_changes import chips, sentences
from dbt.adapters.adaptive_spark.response.statement_response import filtered_words, reordered_words


@dataclass(frozen=True)
class NodeView:
    """A node's entry; `happened` sorts by what adaptive filters, joins and plans did,
    `chips` say it in a few words each.
    """

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
        """The text for the search box to look through: names, tables and predicates in lower case."""
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
                bar=percent(result.seconds / slowest),
                filters=filters,
                scans=[scan_view(each) for each in result.dynamic[:MOST_PARTS]],
                changes=changes[:MOST_PARTS],
                statistics=table,
                not_counted=not_counted(table) if table is not None else (),
                more=sum(
                    max(0, len(each) - MOST_PARTS) for each in (result.filters, result.dynamic, changes)
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
    for number, each in enumerate(result.filters[:MOST_PARTS]):
        history = taken(waiting, each.written)
        runs = history.runs if history is not None else {}
        key = f"{anchor}f{number}" if len(runs) > 1 else None
        views.append(filter_view(each, key))
        if key is not None:
            charts[key] = chart_of(views[-1], each, runs)
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
            sum(each.has_order for each in result.filters),
            sum(each.is_reordered_in_run for each in result.filters),
            sum(each.is_reordered and not each.is_reordered_in_run for each in result.filters),
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
