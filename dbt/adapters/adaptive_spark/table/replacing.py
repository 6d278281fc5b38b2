"""The statements by which an incremental run replaces rows of its table, each of them one commit. Pure.

A model's rows come from a temporary view, so that they are computed while the statement runs. Two statements, of which
the first deletes, would let a model that reads its own table see it without the deleted rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.quoting import identifier
from dbt.adapters.adaptive_spark.table.column_names import bare_name, column_name
from dbt.adapters.adaptive_spark.table.layout import ICEBERG, OTHER_NAMES, PARTITION_BY, columns_in

UNIQUE_KEY = "unique_key"
UPDATED, KEPT = "merge_update_columns", "merge_exclude_columns"
PREDICATES = ("predicates", "incremental_predicates")
# dbt's own names for the two sides, which predicates of users refer to
TARGET, SOURCE = "DBT_INTERNAL_DEST", "DBT_INTERNAL_SOURCE"
# Transforms whose values never span two batches, by the size of a batch.
_GRAINS = ("hour", "day", "month", "year")


def unique_keys(configs: Mapping[str, Any], model: str) -> list[str]:
    """The columns of `unique_key` as SQL, none where it is not said. Raises DbtValidationError for other things."""
    return _names(configs, UNIQUE_KEY, model)


def keys_of_both(configs: Mapping[str, Any], shared: Sequence[str], model: str) -> list[str]:
    """The columns of `unique_key` as SQL. `shared` are the columns that the model and its table have; raises
    DbtValidationError where a key is none of them.
    """
    keys = unique_keys(configs, model)
    unknown = _unknown(keys, shared)
    if unknown:
        raise DbtValidationError(
            f"{UNIQUE_KEY}: the model and its table do not both have {' and '.join(map(repr, unknown))} ({model}). "
            f"Both have {', '.join(shared)}."
        )
    return keys


def predicates(configs: Mapping[str, Any], model: str) -> list[str]:
    """Conditions of users on the rows of the table that a run looks at: SQL, each in parentheses."""
    for config in PREDICATES:
        said = configs.get(config)
        if not said:
            continue
        found = [said] if isinstance(said, str) else said
        if not isinstance(found, (list, tuple)) or not all(isinstance(each, str) for each in found):
            raise DbtValidationError(
                f"{config}: {said!r} is not a list of conditions ({model}). Write it as ['{TARGET}.day > current_date() - 7']."
            )
        return [f"({each})" for each in found]
    return []


def updated_columns(
    configs: Mapping[str, Any], table: Sequence[str], shared: Sequence[str], model: str
) -> list[str] | None:
    """The columns that a merge updates, as SQL; None for all of them. `table` has the names of the table's columns, and
    `shared` those that the new rows have, too.

    Raises DbtValidationError for a column to update that the table lacks, and where both configs are said.
    """
    updated, kept = check_updated(configs, model)
    if unknown := _unknown(updated, table):
        raise DbtValidationError(
            f"{UPDATED}: {unknown[0]!r} is not a column of the table ({model}). It has {', '.join(table)}."
        )
    if kept:
        left_alone = set(map(bare_name, kept))
        return [identifier(name) for name in shared if name.lower() not in left_alone]
    return updated or None


def idle_exclusions(configs: Mapping[str, Any], table: Sequence[str], model: str) -> str | None:
    """The sentence for columns that a merge is to leave alone and the table lacks, as a project may say it for all its
    models; None where there are none.
    """
    unknown = _unknown(_names(configs, KEPT, model), table)
    if not unknown:
        return None
    return (
        f"{KEPT}: no column of the table is {' or '.join(map(repr, unknown))}, so that has no effect ({model}). "
        f"It has {', '.join(table)}."
    )


def _unknown(names: Sequence[str], table: Sequence[str]) -> list[str]:
    """Names, without backquotes, of no column of the table; that of a nested field begins with its column's."""
    known = {name.lower() for name in table}
    bare = map(bare_name, names)
    return [name for name in bare if name not in known and name.split(".")[0] not in known]


def check_updated(configs: Mapping[str, Any], model: str) -> tuple[list[str], list[str]]:
    """The columns that a merge updates, and those that it leaves alone, as SQL. Raises as `updated_columns` does."""
    updated, kept = _names(configs, UPDATED, model), _names(configs, KEPT, model)
    if updated and kept:
        raise DbtValidationError(f"{UPDATED} and {KEPT} exclude each other ({model}). Keep one.")
    return updated, kept


def merge_sql(
    target: str,
    source: str,
    keys: Sequence[str],
    conditions: Sequence[str],
    updated: Sequence[str] | None,
    shared: Sequence[str] | None = None,
) -> str:
    """MERGE by `keys`; without one, all rows are new. `updated` is None for all columns.

    `shared` names the columns that both sides have, where the table has more; else `*` stands for them, so that a
    format that adds columns by itself still does.
    """
    on = [*conditions, *(f"{SOURCE}.{key} = {TARGET}.{key}" for key in keys)] if keys else ["false"]
    columns = None if shared is None else [identifier(name) for name in shared]
    if updated is None:
        updated = columns
    assigned = "*" if updated is None else ", ".join(f"{TARGET}.{name} = {SOURCE}.{name}" for name in updated)
    inserted = "*"
    if columns is not None:
        values = ", ".join(f"{SOURCE}.{name}" for name in columns)
        inserted = f"({', '.join(columns)}) values ({values})"
    matched = f"\nwhen matched then update set {assigned}" if assigned else ""
    return (
        f"merge into {target} as {TARGET} using {source} as {SOURCE} on {' and '.join(on)}{matched}\n"
        f"when not matched then insert {inserted}"
    )


def delete_insert_sql(
    target: str, source: str, keys: Sequence[str], conditions: Sequence[str], shared: Sequence[str]
) -> str:
    """One MERGE that deletes the table's rows with a key of the new rows, and inserts all of these, also several of a
    key. `shared` names the columns that both sides have.

    The first row of each key stands in it twice: once with no row, which matches what is deleted, and once as a row,
    which matches nothing, as all others do. All have the key, so that a join by it spreads them. The new rows are
    computed once: those of a LIMIT would be others the next time.
    """
    names = [f"dbt_key_{at}" for at in range(1, len(keys) + 1)]
    named = ", ".join(f"{key} as {name}" for key, name in zip(keys, names, strict=True))
    columns = [identifier(name) for name in shared]
    on = [
        *(f"{TARGET}.{key} = {SOURCE}.{name}" for key, name in zip(keys, names, strict=True)),
        f"{SOURCE}.dbt_row is null",
        *conditions,
    ]
    return (
        f"merge into {target} as {TARGET} using (\n"
        f"  select {', '.join(names)}, dbt_row from (\n"
        f"    select *, row_number() over (partition by {', '.join(names)} order by 1) as dbt_number from (\n"
        f"      select {named}, struct({', '.join(columns)}) as dbt_new from {source}\n"
        "    )\n"
        "  ) lateral view explode(if(dbt_number = 1, array(dbt_new, null), array(dbt_new))) as dbt_row\n"
        f") as {SOURCE} on {' and '.join(on)}\n"
        "when matched then delete\n"
        f"when not matched and {SOURCE}.dbt_row is not null then insert ({', '.join(columns)}) "
        f"values ({', '.join(f'{SOURCE}.dbt_row.{name}' for name in columns)})"
    )


def batch_condition(event_time: str, start: Any, end: Any) -> str:
    """The rows of a batch, in the words by which dbt filters what a model reads."""
    return f"{event_time} >= '{start}' and {event_time} < '{end}'"


def is_whole_files(configs: Mapping[str, Any], event_time: str) -> bool:
    """True if each file of an Iceberg table has rows of one batch only, so that a commit can replace its files."""
    size = configs.get("batch_size")
    if configs.get("file_format") != ICEBERG or size not in _GRAINS:
        return False
    said = configs.get(PARTITION_BY) or []
    for each in columns_in(said) if isinstance(said, str) else said:
        name, _, column = str(each).replace(" ", "").partition("(")
        grain = OTHER_NAMES.get(name.lower(), name.lower()).removesuffix("s")
        if grain in _GRAINS[: _GRAINS.index(size) + 1] and bare_name(column) == bare_name(event_time):
            return True
    return False


def _names(configs: Mapping[str, Any], config: str, model: str) -> list[str]:
    said = configs.get(config)
    if not said:
        return []
    names = [said] if isinstance(said, str) else said
    if not isinstance(names, (list, tuple)):
        raise DbtValidationError(f"{config}: {said!r} is not a column or a list of columns ({model}).")
    try:
        return [column_name(name) for name in names]
    except ValueError as fault:
        raise DbtValidationError(
            f"{config}: {said!r} is not a column or a list of columns: {fault} ({model}). Write it as ['id', 'day']."
        ) from None
