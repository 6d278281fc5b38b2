"""Comments on a table and its columns: only those that differ from what the table has. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.catalog.described_table import column_rows, properties
from dbt.adapters.adaptive_spark.conf.quoting import identifier, text_token


def comment_statements(
    relation: str,
    described: Iterable[Sequence[Any]],
    description: str | None,
    columns: Mapping[str, Mapping[str, Any]],
) -> list[str]:
    """From the rows of DESCRIBE TABLE EXTENDED, and dbt's columns by their names.

    `description` is the table's. Without one the table keeps its comment.
    """
    rows = list(described)
    statements = []
    if description and description != properties(rows).get("Comment"):
        statements.append(f"comment on table {relation} is {text_token(description)}")
    known = {str(name).lower(): comment or "" for name, _, comment in column_rows(rows)}
    for name, column in columns.items():
        text = str(column.get("description") or "")
        if text != known.get(name.lower(), ""):
            statements.append(
                f"alter table {relation} alter column {identifier(name)} comment {text_token(text)}"
            )
    return statements
