"""The tables and views of a schema, from what Spark lists of it in catalogs other than the session's. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.contracts.relation import RelationType

from dbt.adapters.adaptive_spark.catalog.listed_formats import is_iceberg

_PROVIDER = re.compile(r"^Provider: *(\w+)", re.MULTILINE)
_VIEW = re.compile(r"^Type: *VIEW\b", re.MULTILINE)
_FORMATS = ("delta", "hudi", "iceberg")


@dataclass(frozen=True)
class ListedRelation:
    """A table or view; `information` is what Spark says of it, a line a property."""

    name: str
    information: str = ""

    @property
    def type(self) -> RelationType:
        return RelationType.View if _VIEW.search(self.information) else RelationType.Table

    @property
    def formats(self) -> Mapping[str, bool]:
        """dbt-spark's marks of a table's format."""
        found = _PROVIDER.search(self.information)
        provider = found[1].lower() if found else ""
        if is_iceberg(self.information):
            provider = "iceberg"
        return {f"is_{format_}": provider == format_ for format_ in _FORMATS}


def extended(rows: Iterable[Sequence[Any]]) -> list[ListedRelation]:
    """The relations of SHOW TABLE EXTENDED: schema, name, if it is temporary, information.

    Spark lists the session's temporary views with those of every schema.
    """
    return [ListedRelation(row[1], row[3]) for row in rows if not row[2]]


def named(rows: Iterable[Sequence[Any]]) -> list[str]:
    """The names of SHOW TABLES: schema, name, if it is temporary."""
    return [row[1] for row in rows if not row[2]]


def views(rows: Iterable[Sequence[Any]]) -> list[ListedRelation]:
    """The views of SHOW VIEWS: schema, name, if it is temporary."""
    return [ListedRelation(name, "Type: VIEW") for name in named(rows)]
