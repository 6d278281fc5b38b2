"""Collects a table's statistics as its config wants them: asks the metastore what is
there, decides, and runs ANALYZE.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from dbt.adapters.adaptive_spark.catalog.table_facts import TableFacts, tables, tables_sql
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_keys import HISTOGRAM_COLUMNS, ROW_COUNT, SAMPLE
from dbt.adapters.adaptive_spark.conf.conf_scope import Confs, confs_in_force
from dbt.adapters.adaptive_spark.conf.quoting import literal
from dbt.adapters.adaptive_spark.response.numbers import counted
from dbt.adapters.adaptive_spark.statistics.analyze_config import (
    AUTO,
    HISTOGRAMS,
    AnalyzeConfig,
    check_columns,
)
from dbt.adapters.adaptive_spark.statistics.analyze_plan import ELSEWHERE, Analysis, Skip, analysis, refused
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Needed

_COUNTED_BY_FOOTERS = ("parquet", "orc")


class Spark(Protocol):
    """A connection: its confs, queries of the adapter's own, and statements of its session, which dbt logs."""

    @property
    def confs(self) -> Confs: ...

    def query(self, sql: str) -> Sequence[Sequence[Any]]: ...

    def run(self, sql: str) -> Sequence[Sequence[Any]]: ...


def collect(
    spark: Spark,
    config: AnalyzeConfig,
    schema: str,
    table: str,
    needed: Callable[[Iterable[str]], Needed],
    model: str,
    rows: int | None = None,
    may_have_changed: bool = False,
) -> tuple[Analysis, float] | Skip:
    """Collects them; with the seconds that it took, or why not.

    `rows`: how many the table has, if that is known. `needed` says which of its columns are used downstream.
    `may_have_changed`: whether others than Spark write to it, so that its files are listed first.

    Raises ColumnError, which names `model`, where the config names a column that has no
    statistics, however small the table is.
    """
    names_none = isinstance(config.columns, str)
    if names_none and rows is not None and rows < config.min_rows:  # before anybody is asked
        return _too_small(rows, config)
    facts = _analyzable(spark, schema, table)
    if isinstance(facts, Skip):  # before the project is read for who needs what
        return facts
    check_columns(config, {column.name: column.type for column in facts.columns}, facts.sql_name, model)
    if rows is not None and rows < config.min_rows:
        return _too_small(rows, config)
    if may_have_changed and facts.rows is not None:
        # forgets what is known where the files' size is another
        spark.run(f"ANALYZE TABLE {facts.sql_name} COMPUTE STATISTICS NOSCAN")
        facts = table_facts(spark.query, schema, table) or facts
        if not facts.size:  # rows that are elsewhere, as of JDBC, may have changed all the same
            facts = replace(facts, rows=None)
    used = needed(column.name for column in facts.columns) if config.columns == AUTO else None
    todo = analysis(config, facts, used.columns if used else ())
    if isinstance(todo, Skip):
        return todo
    counted, is_exact = _rows(spark, facts) if rows is None else (rows, True)
    if counted is not None and counted < config.min_rows:
        return _too_small(counted, config)
    return _analyzed(spark, config, todo, used, counted, is_exact)


def _analyzable(spark: Spark, schema: str, table: str) -> TableFacts | Skip:
    """The metastore's facts about the table, or why Spark can keep no statistics of it."""
    facts = table_facts(spark.query, schema, table)
    return ELSEWHERE if facts is None else refused(facts) or facts


def _analyzed(
    spark: Spark,
    config: AnalyzeConfig,
    todo: Analysis,
    used: Needed | None,
    counted: int | None,
    is_exact: bool,
) -> tuple[Analysis, float]:
    """Runs ANALYZE under the confs that `config` and the session come to; `counted` are the table's rows."""
    start = time.monotonic()
    session = spark.confs.explicit([SAMPLE, HISTOGRAMS, HISTOGRAM_COLUMNS])
    config = config.sampled(counted, session[SAMPLE])
    confs = config.confs
    if is_exact and (config.sample is not None or session[SAMPLE] is not None):
        confs.append(ConfEntry(ROW_COUNT, str(counted)))
    if session[HISTOGRAM_COLUMNS] is not None:
        confs += [todo.all_histograms] if config.histograms else []
    elif used and config.histograms is None and session[HISTOGRAMS] == "true":
        confs += todo.confs(used.filtered)
    with confs_in_force(spark.confs, confs, todo.table.sql_name):
        spark.run(todo.sql)
    return replace(todo, sample=config.sample), time.monotonic() - start


def _too_small(rows: int, config: AnalyzeConfig) -> Skip:
    return Skip(f"has {counted(rows, 'row')}, fewer than min_rows, {config.min_rows:,}")


def keep(spark: Spark, schema: str, table: str) -> None:
    """Notes a table's statistics before a write, which makes Spark forget them."""
    spark.query(f"select done from adaptive_keep_statistics({literal(schema)}, {literal(table)})")


def restore(spark: Spark, schema: str, table: str) -> None:
    """Puts them back: the write has changed nothing."""
    spark.query(f"select done from adaptive_restore_statistics({literal(schema)}, {literal(table)})")


def table_facts(
    query: Callable[[str], Sequence[Sequence[Any]]], schema: str, table: str
) -> TableFacts | None:
    """The metastore's facts about one table; None where it has none such."""
    return next(iter(tables(query(tables_sql(schema, table)))), None)


def _rows(spark: Spark, table: TableFacts) -> tuple[int | None, bool]:
    """Rows as ANALYZE counted them, else as the files say without being read, else as ANALYZE estimated them,
    else None; and if that is exact.
    """
    if table.is_analyzed and table.rows_sample is None:
        return table.rows, True
    if table.provider in _COUNTED_BY_FOOTERS:
        # in the session that wrote it: others may still have its earlier files listed
        return int(spark.run(f"select count(*) from {table.sql_name}")[0][0]), True
    return (table.rows if table.is_analyzed else None), False
