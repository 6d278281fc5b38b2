"""Facts of the metastore about tables, columns and statistics: one query for a schema or a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dbt.adapters.adaptive_spark.conf.extension_facts import columns
from dbt.adapters.adaptive_spark.conf.quoting import dotted, literal

_TABLE = columns("adaptive_catalog", "table")
_COLUMN = columns("adaptive_catalog", "column")
_SPARKS_OWN = ("parquet", "orc", "csv", "json", "text", "avro", "xml", "binaryfile", "jdbc", "hive")


@dataclass(frozen=True)
class ColumnFacts:
    """A column; the counts are those of the last ANALYZE that named it, and None where there was none
    since the table's data changed.

    `sample` is the share of the rows that they come from, None where that is all of them.
    """

    index: int
    name: str
    type: str
    comment: str | None
    distinct: int | None
    nulls: int | None
    min: str | None
    max: str | None
    has_histogram: bool
    sample: float | None = None

    @property
    def has_statistics(self) -> bool:
        return self.distinct is not None


@dataclass(frozen=True)
class TableFacts:
    """A table or view; `provider` is its format in lower case, `rows` is what was counted when it was last analyzed,
    `size` is in bytes, both None where nobody knows.

    `rows_sample` is the share of the rows by which `rows` is estimated, None where they were counted. `catalog` is None
    in the session catalog; in another one, `size` and `rows` are what that says of the table, and in a format that
    keeps them itself what the format says.
    """

    schema: str
    name: str
    kind: str
    provider: str | None
    owner: str | None
    comment: str | None
    size: int | None
    rows: int | None
    columns: tuple[ColumnFacts, ...]
    rows_sample: float | None = None
    catalog: str | None = None

    @property
    def is_view(self) -> bool:
        return self.kind == "view"

    @property
    def is_analyzed(self) -> bool:
        """True if ANALYZE counted `rows`.

        Spark notes a wrong number for some of the tables that it creates from a query.
        """
        return self.rows is not None and any(column.has_statistics for column in self.columns)

    @property
    def is_foreign(self) -> bool:
        """True if the table's format keeps columns and statistics elsewhere, as Delta Lake and Iceberg do."""
        return not self.is_view and self.provider is not None and self.provider not in _SPARKS_OWN

    @property
    def is_known(self) -> bool:
        """True if the metastore has the table's columns and statistics, where they are anywhere."""
        return bool(self.columns) and not self.is_foreign

    @property
    def sql_name(self) -> str:
        """The name as SQL."""
        return dotted(self.schema, self.name)


def tables_sql(schema: str, table: str | None = None) -> str:
    """One row for each column of a schema's tables, or of one table."""
    names = [schema] if table is None else [schema, table]
    return f"select {', '.join(_TABLE + _COLUMN)} from adaptive_catalog({', '.join(map(literal, names))})"


def tables(rows: Iterable[Sequence[Any]]) -> list[TableFacts]:
    """The tables of rows as `tables_sql` selects them."""
    by_table = groupby(
        sorted(rows, key=lambda row: (row[0], row[1])), key=lambda row: tuple(row[: len(_TABLE)])
    )
    return [_table(head, [row[len(_TABLE) :] for row in members]) for head, members in by_table]


def _table(head: Sequence[Any], columns: Sequence[Sequence[Any]]) -> TableFacts:
    schema, name, kind, provider, owner, comment, size, rows, rows_sample = head
    facts = (
        ColumnFacts(
            index, column, type_, comment, _count(distinct), _count(nulls), low, high, bool(histogram), sample
        )
        for index, column, type_, comment, distinct, nulls, low, high, histogram, sample in columns
        if column is not None  # a format that keeps its columns elsewhere
    )
    ordered = tuple(sorted(facts, key=lambda column: column.index))
    format_ = provider and provider.lower()
    return TableFacts(
        schema, name, kind, format_, owner, comment, _count(size), _count(rows), ordered, rows_sample
    )


def _count(value: Any) -> int | None:
    return None if value is None else int(value)
