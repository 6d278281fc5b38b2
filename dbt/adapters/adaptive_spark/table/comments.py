"""Comments on a table and its columns: only those that differ from what the table has. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.conf.quoting import identifier, text_token

_DETAILS = "# Detailed Table Information"


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
    if description and description != _table_comment(rows):
        statements.append(f"comment on table {relation} is {text_token(description)}")
    known = {str(name).lower(): comment or "" for name, _, comment in _columns(rows)}
    for name, column in columns.items():
        text = str(column.get("description") or "")
        if text != known.get(name.lower(), ""):
            statements.append(
                f"alter table {relation} alter column {identifier(name)} comment {text_token(text)}"
            )
    return statements


def _columns(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows before the first that is none of a column: an empty one or a heading."""
    for row in rows:
        if not row[0] or str(row[0]).startswith("#"):
            return
        yield row


def _table_comment(rows: Sequence[Sequence[Any]]) -> str:
    """The table's comment. Iceberg's metadata columns stand before it, and have any names."""
    headings = [row[0] for row in rows]
    if _DETAILS not in headings:
        return ""
    details = rows[headings.index(_DETAILS) :]
    return next((str(row[1]) for row in details if str(row[0]).strip(": ") == "Comment"), "")
