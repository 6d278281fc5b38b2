"""Reader of dbt's manifest.json and catalog.json: a project's nodes and their tables. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dbt.adapters.adaptive_spark.conf.catalog_name import catalog_of, full_name
from dbt.adapters.adaptive_spark.report.json_reader import Entry
from dbt.adapters.adaptive_spark.report.run_results import moment
from dbt.adapters.adaptive_spark.statistics.analyzable import REMEDIES
from dbt.adapters.adaptive_spark.statistics.dbt_node import TABLE_KINDS, is_ephemeral, is_inlined

# docs_catalog writes the statistics of a column as column_<index>, and no other adapter does;
# dbt-spark's have no description
_COLUMN, _OF_TABLE = "column_", ("bytes", "rows")
# how catalog_rows begins the label of a number of rows that comes from a sample
_ESTIMATED = "≈"


@dataclass(frozen=True)
class ProjectNode:
    """A node of the manifest.

    `kind` is dbt's resource type; `name` what the user calls it; `fqn` where `dbt_project.yml` has it;
    `keys` a snapshot's own columns.
    """

    unique_id: str
    kind: str
    name: str
    schema: str
    identifier: str
    path: str
    package: str = ""
    fqn: Sequence[str] = ()
    materialized: str = ""
    language: str = "sql"
    compiled_code: str | None = None
    parents: Sequence[str] = ()
    keys: Sequence[str] = ()
    analyze: Any = None
    filter_order: Any = None
    file_format: str | None = None
    database: str | None = None

    @property
    def table(self) -> str:
        return full_name(self.database, self.schema, self.identifier)

    @property
    def is_table_or_view(self) -> bool:
        return self.kind in TABLE_KINDS

    @property
    def is_ephemeral(self) -> bool:
        return is_ephemeral(self.kind, self.materialized)

    @property
    def keeps_own_statistics(self) -> bool:
        """True if the table's format or catalog keeps its own statistics.

        Spark refuses to collect any of such a table (docs/statistics.md).
        """
        is_elsewhere = catalog_of(self.database, self.schema) is not None
        return is_elsewhere or (self.file_format or "").lower() in REMEDIES

    @property
    def collects_statistics(self) -> bool:
        """True if the node's `analyze` asks for statistics."""
        return self.analyze not in (None, False, "off")

    @property
    def is_inlined(self) -> bool:
        """True if the node's readers run its SQL."""
        return is_inlined(self.kind, self.materialized)


@dataclass(frozen=True)
class Project:
    """`adapter` is the type that the profile said."""

    name: str
    adapter: str
    nodes: Mapping[str, ProjectNode]


@dataclass(frozen=True)
class CatalogColumn:
    """A column; `is_analyzed`: whether the metastore had statistics of it."""

    name: str
    type: str
    is_analyzed: bool


@dataclass(frozen=True)
class CatalogTable:
    """A table or view. `tells_columns`: whether the catalog would say so if its columns had statistics.

    `is_sampled`: whether its rows are an estimate.
    """

    unique_id: str
    is_view: bool
    columns: Sequence[CatalogColumn]
    rows: int | None = None
    tells_columns: bool = True
    is_sampled: bool = False


@dataclass(frozen=True)
class Catalog:
    """The tables that `dbt docs generate` found, and when."""

    generated: datetime
    tables: Mapping[str, CatalogTable]


def project(content: Entry) -> Project:
    """The project of a manifest.json with this content. Raises ShapeError."""
    metadata = content.at("metadata")
    nodes = [_node(entry) for part in ("nodes", "sources") for _, entry in content.at(part).members()]
    return Project(
        name=metadata.text_or_none("project_name") or "",
        adapter=metadata.text_or_none("adapter_type") or "",
        nodes={node.unique_id: node for node in nodes},
    )


def _node(entry: Entry) -> ProjectNode:
    config = entry.at("config")
    kind, name = entry.text("resource_type"), entry.text("name")
    source = entry.text_or_none("source_name")
    return ProjectNode(
        unique_id=entry.text("unique_id"),
        kind=kind,
        name=name if source is None else f"{source}.{name}",
        schema=entry.text_or_none("schema") or "",
        identifier=entry.text_or_none("identifier") or entry.text_or_none("alias") or name,
        path=entry.text_or_none("original_file_path") or "",
        package=entry.text_or_none("package_name") or "",
        fqn=entry.texts("fqn"),
        materialized=config.text_or_none("materialized") or "",
        language=entry.text_or_none("language") or "sql",
        compiled_code=entry.text_or_none("compiled_code") or None,
        parents=entry.at("depends_on").texts("nodes"),
        keys=_keys(config) if kind == "snapshot" else (),
        analyze=config.value.get("analyze"),
        filter_order=config.value.get("filter_order"),
        file_format=config.text_or_none("file_format"),
        database=entry.text_or_none("database"),
    )


def _keys(config: Entry) -> Sequence[str]:
    key = config.value.get("unique_key")
    return config.texts("unique_key") if isinstance(key, list) else (str(key),) if key else ()


def catalog(content: Entry) -> Catalog:
    """The catalog of a catalog.json with this content. Raises ShapeError."""
    entries = {
        unique_id: entry for part in ("nodes", "sources") for unique_id, entry in content.at(part).members()
    }
    silent = {entry.at("metadata").text_or_none("schema") for entry in entries.values() if _is_silent(entry)}
    tables = {
        unique_id: _table(unique_id, entry, entry.at("metadata").text_or_none("schema") not in silent)
        for unique_id, entry in entries.items()
    }
    return Catalog(moment(content.at("metadata"), "generated_at"), tables)


def _is_silent(entry: Entry) -> bool:
    """True if dbt-spark described the table.

    It does so for a whole schema that has a table of a format with its own statistics.
    """
    known = [entry.at("stats").at(name) for name in _OF_TABLE if name in entry.at("stats").value]
    return any(not each.text_or_none("description") for each in known)


def _table(unique_id: str, entry: Entry, tells_columns: bool) -> CatalogTable:
    stats = entry.at("stats")
    analyzed = {each.text("label").lower() for name, each in stats.members() if name.startswith(_COLUMN)}
    columns = [
        CatalogColumn(each.text("name"), each.text("type"), each.text("name").lower() in analyzed)
        for _, each in entry.at("columns").members()
    ]
    return CatalogTable(
        unique_id=unique_id,
        is_view=(entry.at("metadata").text_or_none("type") or "").lower() == "view",
        columns=tuple(columns),
        rows=_count_or_none(stats.at("rows").value.get("value")),
        tells_columns=tells_columns,
        is_sampled=(stats.at("rows").text_or_none("label") or "").startswith(_ESTIMATED),
    )


def _count_or_none(value: Any) -> int | None:
    # dbt writes some statistics as decimals
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return int(value) if is_number and value >= 0 else None
