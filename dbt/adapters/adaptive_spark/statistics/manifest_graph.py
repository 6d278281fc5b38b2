"""The graph of a dbt project's nodes with their SQL, from its manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from dbt.adapters.adaptive_spark.conf.catalog_name import lowered_name
from dbt.adapters.adaptive_spark.statistics.dbt_node import TABLE_KINDS, DbtNode, is_ephemeral, node_graph
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Graph, Name
from dbt.adapters.adaptive_spark.statistics.render_model import doubt, ways

_EPHEMERAL = "__dbt__cte__"


def manifest_graph(config: Any, manifest: Any, relation_of: Callable[[Any], Any]) -> Graph:
    """Models, snapshots, seeds and sources. `relation_of` gives the relation of one that is stored or a view."""

    def relation(node: Any) -> Any:
        return f"{_EPHEMERAL}{node.name}" if _is_ephemeral(node) else relation_of(node)

    def nodes() -> Iterator[DbtNode]:
        for node in [*manifest.nodes.values(), *manifest.sources.values()]:
            kind = str(node.resource_type)
            if kind in TABLE_KINDS:
                yield DbtNode(
                    unique_id=node.unique_id,
                    label=node.original_file_path,
                    kind=kind,
                    materialized=_materialized(node),
                    language=getattr(node, "language", "sql"),
                    relations=(_name(node),),
                    texts=partial(ways, node, config, manifest, relation),
                    doubt=partial(doubt, node, manifest),
                    parents=() if kind in ("seed", "source") else tuple(node.depends_on.nodes),
                    keys=_keys(node) if kind == "snapshot" else (),
                )

    return node_graph(nodes())


def _name(node: Any) -> Name:
    if _is_ephemeral(node):
        return (f"{_EPHEMERAL}{node.name}".lower(),)
    return lowered_name(getattr(node, "database", None), str(node.schema), str(node.identifier))


def _is_ephemeral(node: Any) -> bool:
    return is_ephemeral(str(node.resource_type), _materialized(node))


def _materialized(node: Any) -> str:
    return str(getattr(node.config, "materialized", ""))


def _keys(snapshot: Any) -> tuple[str, ...]:
    """A snapshot joins its query with what it has stored."""
    key = snapshot.config.unique_key
    return tuple(key) if isinstance(key, list) else (str(key),) if key else ()
