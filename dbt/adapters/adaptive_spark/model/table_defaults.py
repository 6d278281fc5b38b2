"""Confs and configs that a node's table has where the node says nothing: the profile's format, and how partitions are
overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from dbt.adapters.adaptive_spark.conf.catalog_name import node_catalog
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.table.formats import overwrites_partitions
from dbt.adapters.adaptive_spark.table.layout import FORMAT, PARTITION_BY
from dbt.adapters.adaptive_spark.table.location import ROOT

_WITH_TABLES = ("model", "seed", "snapshot")
OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"


def set_default_format(
    nodes: Iterable[Any], default: str | None, format_of: Callable[[str], str | None] = lambda _: None
) -> None:
    """Writes the profile's format into the configs of nodes that name none: dbt-spark's macros ask these configs. In a
    catalog that has one format it is that one: a table of it would be dropped for one in another. `format_of` a
    catalog is the one that it has, if it has one.
    """
    for node in nodes:
        if str(node.resource_type) not in _WITH_TABLES or node.config.get(FORMAT) is not None:
            continue
        catalog = node_catalog(node)
        format_ = (None if catalog is None else format_of(catalog)) or default
        if format_ is not None:
            node.config[FORMAT] = format_


def changed(configs: Mapping[str, Any], said: Sequence[ConfEntry]) -> list[ConfEntry]:
    """The confs of a node whose table is changed, with the one by which it replaces the partitions that it has rows
    for, unless its `spark_conf` has that.
    """
    if not overwrites_partitions(configs) or any(entry.key == OVERWRITE_MODE for entry in said):
        return list(said)
    return [ConfEntry(OVERWRITE_MODE, "dynamic"), *said]


def anew(configs: Mapping[str, Any], said: Sequence[ConfEntry], overwrites_files: bool) -> list[ConfEntry]:
    """The confs of a node whose table is made anew. Over files, the mode that keeps partitions would find old ones."""
    if not (overwrites_files and configs.get(PARTITION_BY) and configs.get(ROOT)):
        return list(said)
    return [*(entry for entry in said if entry.key != OVERWRITE_MODE), ConfEntry(OVERWRITE_MODE, "static")]


def selected(nodes: Iterable[Any]) -> list[Any]:
    """The nodes that dbt's command is about. dbt tells its macros, and no adapter, which these are."""
    chosen = set(import_module("dbt.selected_resources").SELECTED_RESOURCES)
    return [node for node in nodes if node.unique_id in chosen]
