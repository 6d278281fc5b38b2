"""The facts of one table, from DESCRIBE EXTENDED, which every catalog answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.catalog.table_facts import ColumnFacts, TableFacts

_DETAILS = "# Detailed Table Information"
_STATISTICS = re.compile(r"(?P<bytes>\d+) bytes(?:, (?P<rows>\d+) rows)?")


def described(
    catalog: str, schema: str, name: str, is_view: bool, rows: Iterable[Sequence[Any]]
) -> TableFacts:
    """The facts of rows with a name, a type or value, and a comment: columns first, and properties below a heading."""
    listed = [(str(row[0] or ""), row[1], row[2] or None) for row in rows]
    end = next(
        (at for at, (name, _, _) in enumerate(listed) if not name or name.startswith("#")), len(listed)
    )
    columns = tuple(
        ColumnFacts(at, column, str(type_), comment, None, None, None, None, False)
        for at, (column, type_, comment) in enumerate(listed[:end])
    )
    headings = [name for name, _, _ in listed]
    details = listed[headings.index(_DETAILS) + 1 :] if _DETAILS in headings else listed[end:]
    properties = {name: value for name, value, _ in details}
    statistics = _STATISTICS.search(str(properties.get("Statistics") or ""))
    provider = properties.get("Provider")
    return TableFacts(
        schema=schema,
        name=name,
        kind="view" if is_view else "table",
        provider=provider and str(provider).lower(),
        owner=properties.get("Owner"),
        comment=properties.get("Comment"),
        size=int(statistics["bytes"]) if statistics else None,
        rows=int(statistics["rows"]) if statistics and statistics["rows"] else None,
        columns=columns,
        catalog=catalog,
    )
