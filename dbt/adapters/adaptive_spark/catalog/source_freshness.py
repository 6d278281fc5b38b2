"""When sources last changed, by their files: one query for all of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from dbt.adapters.base.impl import FreshnessResponse

from dbt.adapters.adaptive_spark.conf.quoting import literal

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def last_modified_sql(tables: Iterable[tuple[str, str]]) -> str:
    """A row a table, schema and name, in the order given: its place, milliseconds since 1970, null where nobody knows,
    and if it exists, null likewise.
    """
    return " union all ".join(
        f"select {at} as place, last_modified_ms, table_exists from adaptive_last_modified({literal(schema)}, {literal(table)})"
        for at, (schema, table) in enumerate(tables)
    )


def history_sql(table: str) -> str:
    """Milliseconds since 1970 of the last commit to a table of Iceberg's, null where it has none."""
    return f"select unix_millis(max(made_current_at)) from {table}.history"


def freshness(rows: Iterable[Sequence[Any]], now: datetime) -> dict[int, FreshnessResponse]:
    """By place, from rows as `last_modified_sql` selects them, without those that
    nobody knows; `now` has a time zone.
    """
    loaded = {row[0]: _EPOCH + timedelta(milliseconds=row[1]) for row in rows if row[1] is not None}
    return {
        place: {"max_loaded_at": at, "snapshotted_at": now, "age": (now - at).total_seconds()}
        for place, at in loaded.items()
    }


def missing(rows: Iterable[Sequence[Any]]) -> list[int]:
    """The places of tables that do not exist."""
    return [row[0] for row in rows if row[2] is False]
