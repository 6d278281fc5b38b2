"""The graph of a dbt project's nodes with their SQL, from its manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from dbt.adapters.adaptive_spark.statistics.column_usage import UnreadSqlError
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Graph, GraphNode, Name
from dbt.adapters.adaptive_spark.statistics.render_model import doubt, ways

_INLINED = ("view", "ephemeral")
_EPHEMERAL = "__dbt__cte__"


def manifest_graph(config: Any, manifest: Any, relation_of: Callable[[Any], Any]) -> Graph:
    """Models, snapshots, seeds and sources. `relation_of` gives the relation of one that is stored or a view."""

    def relation(node: Any) -> Any:
        return f"{_EPHEMERAL}{node.name}" if _is_ephemeral(node) else relation_of(node)

    def nodes() -> Iterator[GraphNode]:
        for node in [*manifest.nodes.values(), *manifest.sources.values()]:
            kind = str(node.resource_type)
            if kind in ("model", "snapshot", "seed", "source"):
                yield GraphNode(
                    unique_id=node.unique_id,
                    label=node.original_file_path,
                    relations=(_name(node),),
                    texts=partial(_texts, node, config, manifest, relation),
                    doubt=partial(doubt, node, manifest),
                    is_inlined=kind == "model" and node.config.materialized in _INLINED,
                    parents=() if kind in ("seed", "source") else tuple(node.depends_on.nodes),
                    keys=_keys(node) if kind == "snapshot" else (),
                )

    return Graph(nodes())


def _texts(node: Any, config: Any, manifest: Any, relation: Callable[[Any], Any]) -> Sequence[str]:
    if node.language != "sql":
        raise UnreadSqlError(f"it is written in {node.language}")
    return ways(node, config, manifest, relation)


def _name(node: Any) -> Name:
    if _is_ephemeral(node):
        return (f"{_EPHEMERAL}{node.name}".lower(),)
    return (str(node.schema).lower(), str(node.identifier).lower())


def _is_ephemeral(node: Any) -> bool:
    return str(node.resource_type) == "model" and node.config.materialized == "ephemeral"


def _keys(snapshot: Any) -> tuple[str, ...]:
    """A snapshot joins its query with what it has stored."""
    key = snapshot.config.unique_key
    return tuple(key) if isinstance(key, list) else (str(key),) if key else ()
