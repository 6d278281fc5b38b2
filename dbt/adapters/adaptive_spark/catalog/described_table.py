"""The facts of one table, from DESCRIBE EXTENDED, which every catalog answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

from dbt.adapters.adaptive_spark.catalog.table_facts import ColumnFacts, TableFacts

_DETAILS = "# Detailed Table Information"
# Columns stand below the first, under a heading of their own; columns and transforms, numbered, below the second.
_BY_COLUMNS, _BY_TRANSFORMS = "# Partition Information", "# Partitioning"
_STATISTICS = re.compile(r"(?P<bytes>\d+) bytes(?:, (?P<rows>\d+) rows)?")


def column_rows(rows: Iterable[Sequence[Any]]) -> list[Sequence[Any]]:
    """The rows of columns, each with a name, a type and a comment: those before an empty one or a heading."""
    return list(takewhile(lambda row: row[0] and not str(row[0]).startswith("#"), rows))


def properties(rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The table's properties, which stand below a heading. Iceberg's metadata columns stand before it, and have any
    names. Some lists have no heading."""
    headings = [row[0] for row in rows]
    start = headings.index(_DETAILS) + 1 if _DETAILS in headings else len(column_rows(rows))
    # of two of a name the first
    return {str(row[0] or "").strip(": "): row[1] for row in reversed(rows[start:])}


def partitions(rows: Sequence[Sequence[Any]]) -> list[str]:
    """The columns, and transforms of Iceberg's, that the table is partitioned by, as SQL."""
    headings = [row[0] for row in rows]
    if _BY_COLUMNS in headings:
        return [str(row[0]) for row in column_rows(rows[headings.index(_BY_COLUMNS) + 2 :])]
    if _BY_TRANSFORMS in headings:
        listed = column_rows(rows[headings.index(_BY_TRANSFORMS) + 1 :])
        return [str(row[1]) for row in listed if row[1]]  # of a table without any, one row says so
    return []


def described(
    catalog: str | None, schema: str, name: str, is_view: bool, rows: Iterable[Sequence[Any]]
) -> TableFacts:
    """The facts of rows with a name, a type or value, and a comment: columns first, and properties below a heading."""
    listed = list(rows)
    columns = tuple(
        ColumnFacts(at, str(column), str(type_), comment or None, None, None, None, None, False)
        for at, (column, type_, comment) in enumerate(column_rows(listed))
    )
    said = properties(listed)
    statistics = _STATISTICS.search(str(said.get("Statistics") or ""))
    provider = said.get("Provider")
    return TableFacts(
        schema=schema,
        name=name,
        kind="view" if is_view else "table",
        provider=provider and str(provider).lower(),
        owner=said.get("Owner"),
        comment=said.get("Comment"),
        size=int(statistics["bytes"]) if statistics else None,
        rows=int(statistics["rows"]) if statistics and statistics["rows"] else None,
        columns=columns,
        catalog=catalog,
    )
