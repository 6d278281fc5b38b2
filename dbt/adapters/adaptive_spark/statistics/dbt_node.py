"""A node of the graph, as dbt describes it: in its manifest while it runs, in its artifacts afterwards. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from dbt.adapters.adaptive_spark.statistics.column_usage import UnreadSqlError
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Graph, GraphNode, Name

# dbt's resource types of what can be read as a table
TABLE_KINDS = ("model", "snapshot", "seed", "source")
_INLINED = ("view", "ephemeral")


@dataclass(frozen=True)
class DbtNode:
    """A node as dbt describes it: `kind` is its resource type; the other fields are those of `GraphNode`."""

    unique_id: str
    label: str
    kind: str
    materialized: str
    language: str
    relations: tuple[Name, ...]
    texts: Callable[[], Sequence[str]]
    parents: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    doubt: Callable[[], str] = str


def node_graph(nodes: Iterable[DbtNode]) -> Graph:
    """The graph of those that can be read as a table."""
    return Graph(_graph_node(node) for node in nodes if node.kind in TABLE_KINDS)


def _graph_node(node: DbtNode) -> GraphNode:
    return GraphNode(
        unique_id=node.unique_id,
        label=node.label,
        relations=node.relations,
        texts=node.texts if node.language == "sql" else partial(_unread, node.language),
        is_inlined=is_inlined(node.kind, node.materialized),
        parents=node.parents,
        keys=node.keys,
        doubt=node.doubt,
    )


def is_inlined(kind: str, materialized: str) -> bool:
    """True if a node's readers run its SQL."""
    return kind == "model" and materialized in _INLINED


def is_ephemeral(kind: str, materialized: str) -> bool:
    """True if a node has no relation, so that its SQL stands in its readers'."""
    return kind == "model" and materialized == "ephemeral"


def _unread(language: str) -> Sequence[str]:
    raise UnreadSqlError(f"it is written in {language}")
