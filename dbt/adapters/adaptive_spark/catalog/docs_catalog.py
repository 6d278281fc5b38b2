"""The rows of `dbt docs generate`: one for each column, the first one of a table with the table's statistics. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dbt.adapters.adaptive_spark.catalog.table_facts import ColumnFacts, TableFacts
from dbt.adapters.adaptive_spark.response.numbers import counted

if TYPE_CHECKING:
    import agate

_TEXTS = ("table_database", "table_schema", "table_name", "table_type", "table_owner", "table_comment")
_COLUMN = ("column_index", "column_name", "column_type", "column_comment")
_BYTES, _ROWS = "bytes", "rows"
_STATISTIC = ("label", "value", "description", "include")


def catalog_table(tables: Sequence[TableFacts]) -> agate.Table:
    """The rows, as dbt reads a catalog: statistics are columns `stats:<id>:<label, value, description or include>`.

    All tables of a catalog belong into one: each has as many such columns as the table with the most, and agate takes
    long to merge tables of many columns.
    """
    # slow to import: dbt does so late too
    import agate
    from dbt_common.clients.agate_helper import Integer

    statistics = [_statistics(table) for table in tables]
    ids = list(dict.fromkeys(id_ for each in statistics for id_ in each))
    names = [*_TEXTS, *_COLUMN, *(f"stats:{id_}:{part}" for id_ in ids for part in _STATISTIC)]
    # dbt's own integers, as in dbt-spark's catalogs, which this may be merged with
    text, integer, boolean = agate.Text(), Integer(), agate.Boolean()
    types = [*[text] * len(_TEXTS), integer, text, text, text]
    for id_ in ids:
        types += [text, integer if id_ in (_BYTES, _ROWS) else text, text, boolean]
    rows = [
        agate.Row(row, names)
        for table, found in zip(tables, statistics, strict=True)
        for row in _rows(table, [found.get(id_, (None, None, None, None)) for id_ in ids])
    ]
    # they have these types: agate would look at every cell, and take a column of the name `na` for a null
    return agate.Table(rows, names, types, _is_fork=True)


def with_databases(catalog: agate.Table, databases: Mapping[tuple[str, str], Collection[str]]) -> agate.Table:
    """The rows, and those of tables of the session catalog once more for each other name that nodes have for it:
    dbt finds a node's table by its database, too. `databases` has them by schema and table, in lower case.
    """
    import agate

    added = [
        agate.Row([database, *list(row.values())[1:]], catalog.column_names)
        for row in catalog.rows
        if row["table_database"] is None
        for database in databases.get((row["table_schema"].lower(), row["table_name"].lower()), ())
    ]
    if not added:
        return catalog
    assert catalog.column_names[0] == "table_database"
    return agate.Table([*catalog.rows, *added], catalog.column_names, catalog.column_types, _is_fork=True)


def _rows(table: TableFacts, statistics: Sequence[tuple[Any, ...]]) -> Iterable[tuple[Any, ...]]:
    head = (table.catalog, table.schema, table.name, table.kind, table.owner, table.comment)
    first = tuple(cell for statistic in statistics for cell in statistic)
    others = (None,) * len(first)
    for at, column in enumerate(table.columns):
        of_column = (column.index, column.name, column.type, column.comment)
        yield head + of_column + (others if at else first)


def _statistics(table: TableFacts) -> dict[str, tuple[str, str | int, str, bool]]:
    found: dict[str, tuple[str, str | int, str, bool]] = {}
    if table.catalog is not None or table.is_foreign:
        source = "format" if table.catalog is None else "catalog"
        return {
            name: (name, value, f"As the table's {source} says", True)
            for name, value in ((_BYTES, table.size), (_ROWS, table.rows))
            if value is not None
        }
    if table.size is not None:
        found[_BYTES] = ("bytes", table.size, "Of the table's files, when it was last analyzed", True)
    if table.rows is not None and table.is_analyzed:
        found[_ROWS] = (*_rows_statistic(table.rows, table.rows_sample), True)
    analyzed = (column for column in table.columns if column.has_statistics)
    for at, column in enumerate(analyzed):
        found[f"column_{at}"] = (column.name, _summary(column), f"Of the column {column.name}", True)
    return found


def _rows_statistic(rows: int, sample: float | None) -> tuple[str, int, str]:
    """Label, value and description.

    The value is a number in every catalog, so that the label says where it is an estimate.
    """
    if sample is None:
        return "rows", rows, "When the table was last analyzed"
    estimate = f"≈ {rows:,} (estimated from {_percent(sample)} of rows)"
    return (
        f"≈ rows (estimated from {_percent(sample)})",
        rows,
        f"{estimate}, when the table was last analyzed",
    )


def _summary(column: ColumnFacts) -> str:
    """Such as `about 1,204 distinct, 3 nulls, from 1 to 99`, and of a sample `about 1,204 distinct, ≈ 30 nulls, from 1
    to 99 (estimated from 10 % of rows)`.
    """
    about = "" if column.sample is None else "≈ "
    parts = [f"about {column.distinct:,} distinct"]
    if column.nulls is not None:
        parts.append(f"{about}{counted(column.nulls, 'null')}")
    if column.min is not None and column.max is not None:
        parts.append(f"from {column.min} to {column.max}")
    mark = "" if column.sample is None else f" (estimated from {_percent(column.sample)} of rows)"
    return ", ".join(parts) + mark


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
