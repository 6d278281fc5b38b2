"""The plan of `analyze` for one table: its columns, or why there are none, and the statement. Pure."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.catalog.table_facts import ColumnFacts, TableFacts
from dbt.adapters.adaptive_spark.conf.catalog_name import SESSION_CATALOG
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_keys import HISTOGRAM_COLUMNS
from dbt.adapters.adaptive_spark.conf.quoting import dotted, identifier
from dbt.adapters.adaptive_spark.statistics.analyzable import REMEDIES, has_histograms, is_usable
from dbt.adapters.adaptive_spark.statistics.analyze_config import ALL, AUTO, AnalyzeConfig


def statement(schema: str, table: str, columns: Sequence[str]) -> str:
    """Collects the statistics of these columns, or of all where none is named.

    Raises ValueError where a name holds `${`, which Spark would replace.
    """
    of = f"COLUMNS {', '.join(map(identifier, columns))}" if columns else "ALL COLUMNS"
    return f"ANALYZE TABLE {dotted(schema, table)} COMPUTE STATISTICS FOR {of}"


def relation_statement(relation: Any, columns: Any, schema: str) -> str:
    """The statement for a relation, or for a table's name as `table`, in `schema`, or `schema.table`; `columns` are
    a name, names, or none for all.

    Raises DbtValidationError with a sentence that names the argument, its value and the remedy.
    """
    names: list[Any]
    if isinstance(relation, str):
        names = [schema, relation] if "." not in relation else relation.split(".")
        names = names[1:] if len(names) > 2 and names[0] == SESSION_CATALOG else names
    else:
        catalog = getattr(relation, "database", None)
        names = [
            *([catalog] if catalog else []),
            getattr(relation, "schema", None),
            getattr(relation, "identifier", None),
        ]
    if len(names) > 2:
        raise DbtValidationError(
            f"analyze_relation: {relation} has more than a schema and a table. Spark keeps statistics only in its "
            "session catalog, so leave the catalog out."
        )
    if not all(isinstance(each, str) and each for each in names):
        raise DbtValidationError(
            f"analyze_relation: relation: {relation!r} is not a table. Write it as shop.orders, or ref('orders')."
        )
    listed = [columns] if isinstance(columns, str) else columns
    if not isinstance(listed, (list, tuple)) or not all(isinstance(each, str) and each for each in listed):
        raise DbtValidationError(
            f"analyze_relation: columns: {columns!r} is not a list of columns. "
            "Write it as [id, day]; leave it out for all."
        )
    try:
        return statement(names[0], names[1], listed)
    except ValueError as fault:
        raise DbtValidationError(f"analyze_relation: {relation}, {columns}: {fault}. Rename it.") from None


@dataclass(frozen=True)
class Skip:
    """Why nothing is collected, as the end of a sentence that begins with the table's name; `is_refusal`:
    what was asked for can't be done.
    """

    reason: str
    is_refusal: bool = False


# a table of another catalog than the session's
ELSEWHERE = Skip(
    "is not in Spark's session catalog, and Spark keeps statistics of its own only there. Turn analyze off for it",
    is_refusal=True,
)


@dataclass(frozen=True)
class Analysis:
    """Statistics to collect on `columns`, in the table's order.

    `sample` is the share of the rows to count, None where that is left to the session.
    """

    table: TableFacts
    columns: tuple[str, ...]
    sample: float | None = None

    @property
    def sql(self) -> str:
        return statement(self.table.schema, self.table.name, self.columns)

    def confs(self, filtered: Container[str]) -> list[ConfEntry]:
        """Confs that limit histograms to `filtered`, the columns that a filter compares with a value, in lower case.

        For keys distinct values are enough. Empty where `filtered` has all columns that can have a histogram.
        """
        able = [
            column.name
            for column in self.table.columns
            if column.name in self.columns and has_histograms(column.type)
        ]
        wanted = [name for name in able if name.lower() in filtered]
        return [] if wanted == able else [_histograms_of(wanted)]

    @property
    def all_histograms(self) -> ConfEntry:
        """The conf for histograms of all its columns, where the session has named some."""
        return _histograms_of(self.columns)


def _histograms_of(columns: Sequence[str]) -> ConfEntry:
    return ConfEntry(HISTOGRAM_COLUMNS, json.dumps(columns))


def analysis(config: AnalyzeConfig, table: TableFacts, used: Iterable[str] = ()) -> Analysis | Skip:
    """The analysis of a table, whatever its size: of wanted columns without statistics since the data changed.

    `used` are the columns that AUTO means, in lower case. Spark forgets a table's statistics when it writes to it, so
    those that are there still hold.
    """
    wanted = _wanted(config, table, used)
    chosen = [column for column in table.columns if column.name.lower() in wanted and is_usable(column.type)]
    if not chosen:
        whose = " that models downstream use" if config.columns == AUTO else ""
        return Skip(f"has no column to collect statistics on{whose}")
    missing = [
        each for each in chosen if not each.has_statistics or (config.histograms and _lacks_histogram(each))
    ]
    if table.rows is not None and not missing:
        return Skip("did not change since its last statistics")
    of = chosen if table.rows is None else missing
    return Analysis(table, tuple(each.name for each in of))


def refused(table: TableFacts) -> Skip | None:
    """Why Spark can keep no statistics of the table, whichever its columns."""
    if table.is_view:
        return Skip("is a view")
    if table.is_foreign:
        remedy = REMEDIES.get(
            str(table.provider), "Spark stores statistics only for its own formats and Hive's"
        )
        return Skip(f"has the format {table.provider}: {remedy}", is_refusal=True)
    return None


def _wanted(config: AnalyzeConfig, table: TableFacts, used: Iterable[str]) -> list[str]:
    if config.columns == ALL:
        return [column.name.lower() for column in table.columns]
    return list(used) if config.columns == AUTO else [each.lower() for each in config.columns]


def _lacks_histogram(column: ColumnFacts) -> bool:
    return not column.has_histogram and has_histograms(column.type) and column.distinct != 0
