"""Which columns of a project's tables later models filter, join and group by, and which of these have no
statistics, from dbt's artifacts. Pure.

The graph is that of `manifest_graph`, with the SQL that dbt has compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from dbt.adapters.adaptive_spark.conf.catalog_name import lowered_name
from dbt.adapters.adaptive_spark.report.manifest import Catalog, CatalogTable, Project, ProjectNode
from dbt.adapters.adaptive_spark.report.run_results import NodeResult, Run
from dbt.adapters.adaptive_spark.statistics.analyzable import MIN_ROWS, is_usable
from dbt.adapters.adaptive_spark.statistics.column_usage import UnreadSqlError
from dbt.adapters.adaptive_spark.statistics.dbt_node import DbtNode, node_graph
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Graph, Name, Needed

NOT_COMPILED = "dbt has not compiled it"
_WRITING = ("build", "run", "seed", "snapshot", "retry", "clone")
_WHOLE = ("table", "seed")
# the SQL of an ephemeral model stands in its readers' too
_NOTHING = "select 1"


@dataclass(frozen=True)
class TableStatistics:
    """A table whose columns are used downstream.

    `needed` is in the table's order, without types of which Spark's planner uses no statistics.

    `is_known`: whether the catalog can be believed, which is not so where the table's statistics may have been
    collected, or forgotten, since. `rows` is None where nobody counted them, and `rows_are_estimated` where they come
    from a sample; `readers` are the models and snapshots that read the table. `unread`: those that may use more of its
    columns, and why that is not known.
    """

    node: ProjectNode
    needed: Sequence[str]
    analyzed: frozenset[str]
    is_known: bool = True
    rows: int | None = None
    rows_are_estimated: bool = False
    readers: frozenset[str] = frozenset()
    unread: Mapping[str, str] = field(default_factory=dict)

    @property
    def lacking(self) -> tuple[str, ...]:
        """Columns that are needed and have no statistics, as far as that is known."""
        return tuple(each for each in self.needed if self.is_known and each not in self.analyzed)

    @property
    def wants_statistics(self) -> bool:
        """True if `analyze` would find something to do."""
        return bool(self.lacking) and not self.is_small

    @property
    def is_small(self) -> bool:
        """True if `analyze` leaves the table alone, unless its config says otherwise."""
        return self.rows is not None and self.rows < MIN_ROWS


def statistics_needed(project: Project, run: Run, catalog: Catalog) -> list[TableStatistics]:
    """Statistics of each stored table of the catalog that models of the project read."""
    graph = _graph(project, run)
    results = {result.unique_id: result for result in run.nodes}
    stored = [
        table for table in catalog.tables.values() if _is_stored(project.nodes.get(table.unique_id), table)
    ]
    readers = {table.unique_id: graph.readers(table.unique_id) for table in stored}
    tables = {table.unique_id: table for table in stored if readers[table.unique_id]}
    needed = graph.needed_of_all(
        {unique_id: [column.name for column in table.columns] for unique_id, table in tables.items()}
    )
    return [
        _statistics(
            project.nodes[unique_id],
            table,
            needed[unique_id],
            results.get(unique_id),
            catalog.generated if run.which in _WRITING else run.ended,
            readers[unique_id],
        )
        for unique_id, table in tables.items()
    ]


def _statistics(
    node: ProjectNode,
    table: CatalogTable,
    found: Needed,
    result: NodeResult | None,
    known: datetime,
    readers: frozenset[str],
) -> TableStatistics:
    """`result` is what this run did to the table, `known` until when the catalog knows of it."""
    analyzed = frozenset(column.name.lower() for column in table.columns if column.is_analyzed)
    # Spark forgets statistics with each write; where there were none, and none are collected, there are none
    is_forgotten = _is_written_after(result, known) and (bool(analyzed) or node.collects_statistics)
    written = _rows_written(node, result)
    return TableStatistics(
        node=node,
        needed=tuple(
            column.name.lower()
            for column in table.columns
            if column.name.lower() in found.columns and is_usable(column.type)
        ),
        analyzed=analyzed,
        is_known=table.tells_columns and not is_forgotten,
        rows=table.rows if written is None else written,
        rows_are_estimated=written is None and table.is_sampled,
        readers=readers,
        unread=found.unread,
    )


def _is_stored(node: ProjectNode | None, table: CatalogTable) -> bool:
    return (
        node is not None
        and node.is_table_or_view
        and not node.is_inlined
        and not node.keeps_own_statistics
        and not table.is_view
        and bool(table.columns)
    )


def _is_written_after(result: NodeResult | None, known: datetime) -> bool:
    return (
        result is not None
        and result.status != "skipped"
        and result.ended is not None
        and result.ended > known
    )


def _rows_written(node: ProjectNode, result: NodeResult | None) -> int | None:
    """Rows that this run wrote, where they are all of the table; else None."""
    is_whole = node.materialized in _WHOLE or node.kind == "seed"
    return result.rows if is_whole and result is not None else None


def _graph(project: Project, run: Run) -> Graph:
    ran = {result.unique_id: result.compiled_code for result in run.nodes}
    return node_graph(
        DbtNode(
            unique_id=node.unique_id,
            label=node.path,
            kind=node.kind,
            materialized=node.materialized,
            language=node.language,
            relations=_relations(node),
            texts=partial(_texts, node, ran.get(node.unique_id) or node.compiled_code),
            parents=tuple(node.parents),
            keys=tuple(node.keys),
        )
        for node in project.nodes.values()
    )


def _relations(node: ProjectNode) -> tuple[Name, ...]:
    return () if node.is_ephemeral else (lowered_name(node.database, node.schema, node.identifier),)


def _texts(node: ProjectNode, code: str | None) -> Sequence[str]:
    if node.is_ephemeral:
        return [_NOTHING]
    if code is None:
        raise UnreadSqlError(NOT_COMPILED)
    return [code]
