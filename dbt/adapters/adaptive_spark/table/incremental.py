"""Which statements a strategy makes of the new rows of an incremental run. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.catalog_name import SESSION_CATALOG
from dbt.adapters.adaptive_spark.conf.quoting import identifier, literal
from dbt.adapters.adaptive_spark.table.column_names import bare_name, column_name
from dbt.adapters.adaptive_spark.table.formats import (
    APPEND,
    DELETE_INSERT,
    MERGE,
    MICROBATCH,
    OVERWRITE,
    STRATEGY,
)
from dbt.adapters.adaptive_spark.table.layout import DELTA, ICEBERG, PARTITION_BY, TableLayout
from dbt.adapters.adaptive_spark.table.replacing import (
    batch_condition,
    check_updated,
    delete_insert_sql,
    is_whole_files,
    keys_of_both,
    merge_sql,
    predicates,
    unique_keys,
    updated_columns,
)

# Comments and texts. Double quotes may be those of a name.
_NO_NAMES = re.compile(
    r"""(?P<name>`(?:[^`]|``)*`|\b[rR]"[^"]*"|"(?:[^"\\]|\\.)*")"""
    r"""|\b[rR]'[^']*'|--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'""",
    re.DOTALL,
)


def check_changes(configs: Mapping[str, Any], model: str) -> None:
    """Raises DbtValidationError for wrong keys, columns and conditions of a model whose runs change rows, as far as its
    configs tell them.
    """
    if configs.get("materialized") == "incremental" and configs.get(STRATEGY) in (MERGE, DELETE_INSERT):
        unique_keys(configs, model)
        predicates(configs, model)
        check_updated(configs, model)


def other_partitions(table: str, found: Sequence[str], configs: Mapping[str, Any], model: str) -> str | None:
    """The sentence for a table that is partitioned by something else than its model says, so that other rows would be
    replaced than those of the model's partitions; None where both have the same.

    `found` has the columns and transforms of the table.
    """
    wanted = TableLayout.of(configs, model).partitions
    if {*map(_transform, wanted)} == {*map(_transform, found)}:
        return None
    layout = f"partitioned by {', '.join(found)}" if found else "not partitioned"
    return (
        f"{table} is {layout}, and the model by {', '.join(wanted)} ({model}): {OVERWRITE} would replace other rows than "
        f"those of its partitions. Run it with --full-refresh, or give it the {PARTITION_BY} of the table."
    )


def _transform(text: str) -> str:
    """A column or transform as it is compared: names have no case, and Iceberg has two for those of time."""
    plain = "".join(text.replace("`", "").split()).lower()
    return re.sub(r"^(year|month|day|hour)\(", r"\1s(", plain)


def names_table(sql: str, table: str) -> bool:
    """True if the table's name stands in the SQL, and not as a part of another one."""
    name = rf"(?:{SESSION_CATALOG}\.)?{re.escape(table.replace('`', ''))}"
    plain = re.sub('[`"]', "", _NO_NAMES.sub(lambda found: found["name"] or " ", sql))
    return re.search(rf"(?<![\w.-]){name}(?![\w-])", plain, re.IGNORECASE) is not None


@dataclass(frozen=True)
class IncrementalRun:
    """A run's table and where its new rows are, each by its name in SQL, and the names of their columns.

    `format` is the table's, None where it is Spark's default. `batch` are the times from which and up to
    which a microbatch goes. `reads_itself` tells that the new rows are computed from the table.
    """

    format: str | None
    target: str
    source: str
    columns: Sequence[str]
    found: Sequence[str]
    batch: tuple[Any, Any] | None = None
    reads_itself: bool = False

    @property
    def shared(self) -> list[str]:
        """The table's columns that the new rows have, too."""
        found = {name.lower() for name in self.found}
        return [name for name in self.columns if name.lower() in found]

    def statements(self, strategy: str, configs: Mapping[str, Any], model: str) -> list[str]:
        """In the order in which they run; none where a macro of dbt-spark or of the project has them.

        Raises DbtValidationError with a sentence for a wrong config.
        """
        lacks = len(self.shared) < len(self.columns)
        if strategy == MERGE:
            updated = updated_columns(configs, self.columns, self.shared, model)
            keys, conditions = keys_of_both(configs, self.shared, model), predicates(configs, model)
            shared = self.shared if lacks else None
            return [merge_sql(self.target, self.source, keys, conditions, updated, shared)]
        if strategy == DELETE_INSERT:
            keys, conditions = keys_of_both(configs, self.shared, model), predicates(configs, model)
            return [delete_insert_sql(self.target, self.source, keys, conditions, self.shared)]
        if strategy == APPEND and lacks:
            if self.format == ICEBERG:  # Spark 3.5 wants all of its columns
                return [f"insert into {self.target} {self._rows}"]
            columns = ", ".join(map(identifier, self.shared))
            return [f"insert into {self.target} ({columns}) select {columns} from {self.source}"]
        if self.format not in (DELTA, ICEBERG):
            replaces = strategy in (OVERWRITE, MICROBATCH) and lacks
            return [self._overwrite("insert overwrite table", configs, model)] if replaces else []
        if strategy == OVERWRITE:
            return [self._overwrite("insert overwrite", configs, model)]
        return self._microbatch(configs, model) if strategy == MICROBATCH else []

    def _overwrite(self, insert: str, configs: Mapping[str, Any], model: str) -> str:
        # With the clause, a table without such partitions is refused, of which all rows would be replaced. Iceberg has
        # none for transforms.
        layout = TableLayout.of(configs, model)
        lost = {name.lower() for name in self.columns} - {name.lower() for name in self.shared}
        missing = [each for each in layout.partitions if bare_name(each) in lost]
        if missing:
            raise DbtValidationError(
                f"The model has lost {', '.join(missing)}, by which its table is partitioned ({model}). Add it again, or "
                f"run it with --full-refresh and another {PARTITION_BY}."
            )
        clause = "" if self.format == ICEBERG else layout.partition_clause("partition")
        return " ".join(filter(None, [insert, self.target, clause, self._rows]))

    def _microbatch(self, configs: Mapping[str, Any], model: str) -> list[str]:
        """One commit where a format replaces any rows by a condition, as Delta Lake does, or where these are all rows
        of their files. Iceberg refuses to replace a part of a file's rows, so that they are deleted first.

        A row beside the batch's times is an error, since the next run of the batch would not delete it: Delta Lake says
        so itself.
        """
        if self.batch is None:
            raise DbtValidationError(f"A microbatch needs its times ({model}). Run it with dbt run or build.")
        said = configs.get("event_time")
        try:
            event_time = column_name(said)
        except ValueError as fault:
            raise DbtValidationError(f"event_time: {said!r} is not a column: {fault} ({model}).") from None
        condition = batch_condition(event_time, *self.batch)
        if self.format == DELTA:
            return [f"insert into {self.target} replace where {condition} {self._rows}"]
        message = literal(
            f"A row of the batch has {event_time} before {self.batch[0]} or not before {self.batch[1]}."
        )
        rows = f"{self._rows} where case when {condition} then true else cast(raise_error({message}) as boolean) end"
        if is_whole_files(configs, event_time):
            return [f"insert into {self.target} replace where {condition} {rows}"]
        if self.reads_itself:
            raise DbtValidationError(
                f"The model reads its own table, whose rows of the batch are deleted before it is computed ({model}). "
                f"Give it {PARTITION_BY} with a transform of {event_time} as fine as batch_size, or file_format delta."
            )
        return [f"delete from {self.target} where {condition}", f"insert into {self.target} {rows}"]

    @property
    def _rows(self) -> str:
        """The new rows, with the table's columns in its order; null for those that they lack."""
        shared = {name.lower() for name in self.shared}
        columns = (
            identifier(name) if name.lower() in shared else f"null as {identifier(name)}"
            for name in self.columns
        )
        return f"select {', '.join(columns)} from {self.source}"
