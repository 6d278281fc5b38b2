"""Whether and how a table's statistics are collected: its `analyze` config, checked once, and the statement that comes of it. Pure."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.catalog.table_facts import ColumnFacts, TableFacts
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry, as_text
from dbt.adapters.adaptive_spark.conf.conf_keys import HISTOGRAM_COLUMNS, SAMPLE, conf_spec, nearest
from dbt.adapters.adaptive_spark.conf.quoting import dotted, identifier

OFF, AUTO, ALL = "off", "auto", "all"
HISTOGRAMS = "spark.sql.statistics.histogram.enabled"
# Below it Spark's guesses cost less than asking.
MIN_ROWS = 100_000
# A sample of as many rows tells what all do; of more, ANALYZE takes minutes.
ENOUGH_ROWS = 1_000_000
# By format that keeps statistics of its own, what works there.
REMEDIES = {
    "delta": "Delta Lake collects what it skips files by when it writes; Spark's own statistics can't be stored with it",
    "iceberg": "Iceberg has statistics of its own, by CALL <catalog>.system.compute_table_stats(table => 'schema.table')",
    "hudi": "Hudi keeps its statistics in its metadata table; turn hoodie.metadata.index.column.stats.enable on",
}
# types by which ANALYZE makes no histograms, and those of which it stores nothing
_WITHOUT_HISTOGRAM = ("string", "varchar", "char", "boolean", "binary")
_UNCOUNTABLE = ("array", "map", "struct", "variant", "interval", "void", "geometry", "geography", "time(")


class ColumnError(DbtValidationError):
    """A config names a column that has no statistics."""


@dataclass(frozen=True)
class AnalyzeConfig:
    """`columns` is AUTO (those that models downstream use), ALL, or names; `min_rows` the size from which it is done; `histograms` is left
    to the session where it is None; `sample` is the share of the rows that is counted, None where nobody said: see `sampled`.
    """

    columns: str | tuple[str, ...] = AUTO
    min_rows: int = MIN_ROWS
    histograms: bool | None = None
    sample: float | None = None

    @classmethod
    def of(cls, value: Any, model: str) -> AnalyzeConfig | None:
        """From the value of `analyze`: a mode, a list of columns, or a dictionary with `columns` and the options. None where it is off.

        Raises DbtValidationError with a sentence that names the option, its value, its bounds and the model.
        """
        options = dict(value) if isinstance(value, Mapping) else {"columns": value}
        known = [each.name for each in fields(cls)]
        for name in options:
            if name not in known:
                raise DbtValidationError(
                    f"analyze: {name!r} is not an option ({model}). {nearest(name, known)}"
                )
        columns = options.setdefault("columns", AUTO)
        checked = _checked(options, model)
        if columns is None or columns is False or columns == OFF:  # YAML reads `off` as false
            return None
        return cls(_columns(columns, model), **checked)

    def sampled(self, rows: int | None, session: str | None) -> AnalyzeConfig:
        """With the sample that nobody asked for, of a table with so many `rows`: ENOUGH_ROWS of at least twice as many, unless the `session` has a conf for it."""
        if self.sample is not None or session is not None or rows is None or rows < 2 * ENOUGH_ROWS:
            return self
        least = conf_spec(SAMPLE).minimum or 0.0
        return replace(self, sample=max(least, round(ENOUGH_ROWS / rows, 4)))

    @property
    def confs(self) -> list[ConfEntry]:
        """What the session has to be told before the statement."""
        entries = [] if self.histograms is None else [ConfEntry(HISTOGRAMS, as_text(self.histograms))]
        return entries if self.sample is None else [*entries, ConfEntry(SAMPLE, as_text(self.sample))]


def _columns(value: Any, model: str) -> str | tuple[str, ...]:
    if value in (AUTO, ALL):
        return str(value)
    if isinstance(value, (list, tuple)) and value and all(isinstance(each, str) and each for each in value):
        return tuple(value)
    raise DbtValidationError(
        f"analyze: {value!r} is neither off, auto, all nor a list of columns ({model}). "
        "Write it as auto, or as [id, day]."
    )


def _checked(options: Mapping[str, Any], model: str) -> dict[str, Any]:
    rows = MIN_ROWS if options.get("min_rows") is None else options["min_rows"]
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
        raise DbtValidationError(
            f"analyze: min_rows: {rows!r} is not a number of rows from 0 ({model}). "
            f"Leave it out for the default, {MIN_ROWS}."
        )
    histograms = options.get("histograms")
    if histograms is not None and not isinstance(histograms, bool):
        raise DbtValidationError(
            f"analyze: histograms: {histograms!r} is neither true nor false ({model}). "
            f"Leave it out for the session's, {HISTOGRAMS}."
        )
    sample = options.get("sample")
    fault = None if sample is None else conf_spec(SAMPLE).fault(sample)
    if fault is not None:
        raise DbtValidationError(
            f"analyze: sample: {sample!r} {fault} ({model}). Leave it out for the session's, {SAMPLE}, "
            f"or else all rows, of more than {2 * ENOUGH_ROWS:,} some {ENOUGH_ROWS:,}."
        )
    return {
        "min_rows": rows,
        "histograms": histograms,
        "sample": None if sample is None else float(sample),
    }


def statement(schema: str, table: str, columns: Sequence[str]) -> str:
    """Collects the statistics of these columns, or of all where none is named.

    Raises ValueError where a name holds `${`, which Spark would replace.
    """
    of = f"COLUMNS {', '.join(map(identifier, columns))}" if columns else "ALL COLUMNS"
    return f"ANALYZE TABLE {dotted(schema, table)} COMPUTE STATISTICS FOR {of}"


def relation_statement(relation: Any, columns: Any, schema: str) -> str:
    """The statement for a relation, or for a table's name as `table`, in `schema`, or `schema.table`; `columns` are a name, names, or none for all.

    Raises DbtValidationError with a sentence that names the argument, its value and the remedy.
    """
    names: list[Any]
    if isinstance(relation, str):
        names = [schema, relation] if "." not in relation else relation.split(".")
    else:
        names = [getattr(relation, "schema", None), getattr(relation, "identifier", None)]
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
    """Why nothing is collected, as the end of a sentence that begins with the table's name; `is_refusal`: what was asked for can't be done."""

    reason: str
    is_refusal: bool = False


@dataclass(frozen=True)
class Analysis:
    """Statistics to collect on `columns`, in the table's order. `sample` is the share of the rows to count, None where that is left to the session."""

    table: TableFacts
    columns: tuple[str, ...]
    sample: float | None = None

    @property
    def sql(self) -> str:
        return statement(self.table.schema, self.table.name, self.columns)

    def confs(self, filtered: Container[str]) -> list[ConfEntry]:
        """What has the statement make histograms only of columns that a filter compares with a value, which are in lower case: of keys, distinct values are enough.

        Nothing where those are all.
        """
        able = [
            column.name
            for column in self.table.columns
            if column.name in self.columns and _has_histograms(column.type)
        ]
        wanted = [name for name in able if name.lower() in filtered]
        return [] if wanted == able else [_histograms_of(wanted)]

    @property
    def all_histograms(self) -> ConfEntry:
        """What has the statement make histograms of all its columns, where the session has named some."""
        return _histograms_of(self.columns)


def _histograms_of(columns: Sequence[str]) -> ConfEntry:
    return ConfEntry(HISTOGRAM_COLUMNS, json.dumps(columns))


def analysis(config: AnalyzeConfig, table: TableFacts, used: Iterable[str] = ()) -> Analysis | Skip:
    """What to collect on a table, its rows aside: columns that are wanted and have no statistics since the data changed.

    `used` are the columns that AUTO means, in lower case. Spark forgets a table's statistics when it writes to it, so what is there still holds.
    """
    wanted = _wanted(config, table, used)
    chosen = [
        column for column in table.columns if column.name.lower() in wanted and is_countable(column.type)
    ]
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


def check_columns(config: AnalyzeConfig, types: Mapping[str, str], table: str, model: str) -> None:
    """Raises ColumnError where the config names a column that is none of the table's, whose types are `types`, or of whose type Spark makes no statistics."""
    by_lower = {name.lower(): type_ for name, type_ in types.items()}
    for name in () if isinstance(config.columns, str) else config.columns:
        type_ = by_lower.get(name.lower())
        if type_ is None:
            raise ColumnError(
                f"analyze: {name!r} is not a column of {table} ({model}). {nearest(name, [*types])}"
            )
        if not is_countable(type_):
            raise ColumnError(
                f"analyze: {name!r} is of the type {type_}, of which Spark makes no statistics ({model}). Leave it out."
            )


def _wanted(config: AnalyzeConfig, table: TableFacts, used: Iterable[str]) -> list[str]:
    if config.columns == ALL:
        return [column.name.lower() for column in table.columns]
    return list(used) if config.columns == AUTO else [each.lower() for each in config.columns]


def _lacks_histogram(column: ColumnFacts) -> bool:
    return not column.has_histogram and _has_histograms(column.type) and column.distinct != 0


def _has_histograms(type_: str) -> bool:
    return not type_.lower().startswith(_WITHOUT_HISTOGRAM)


def is_countable(type_: str) -> bool:
    """Whether Spark computes statistics of columns of this type."""
    return not type_.lower().startswith(_UNCOUNTABLE)
