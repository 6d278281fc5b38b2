"""Table formats by what they can do with rows, and the configs of a model that ask for more. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dbt.adapters.adaptive_spark.table.layout import FORMAT, ICEBERG, PARTITION_BY, SESSION_FORMATS
from dbt.adapters.adaptive_spark.table.replacing import UNIQUE_KEY

STRATEGY = "incremental_strategy"
APPEND, MERGE, DELETE_INSERT = "append", "merge", "delete+insert"
OVERWRITE, MICROBATCH = "insert_overwrite", "microbatch"
STRATEGIES = (APPEND, MERGE, DELETE_INSERT, OVERWRITE, MICROBATCH)
# how the names begin by which dispatch finds macros, beside the plain ones
DISPATCHED = ("default__", "spark__", "adaptive_spark__")
# dbt-spark's macros for them
_SQL = {
    APPEND: "get_insert_into_sql",
    MERGE: "get_merge_sql",
    OVERWRITE: "get_insert_overwrite_sql",
    MICROBATCH: "get_insert_overwrite_sql",
}
_MERGING = (*SESSION_FORMATS, "hudi")
# By which a merge of dbt-databricks, where it is the default, changes a table otherwise than it does without them.
_OF_OTHER_MERGES = (
    "matched_condition",
    "not_matched_condition",
    "not_matched_by_source_action",
    "skip_matched_step",
    "skip_not_matched_step",
    "merge_with_schema_evolution",
)
_REMEDY = "Give it file_format delta or iceberg"


def format_fault(
    configs: Mapping[str, Any], kind: str, model: str, has_macro: Callable[[str], bool]
) -> str | None:
    """The sentence for what a node asks of a format that does not have it; None where all is well.

    `kind` is the node's resource type, `model` is how the user knows the node. `has_macro` is true of the names of the
    project's macros, which may be strategies of its own.
    """
    format_ = configs.get(FORMAT)
    if kind == "snapshot":
        if format_ in _MERGING:
            return None
        return f"A snapshot changes rows, and {_cannot(format_)} ({model}). {_REMEDY}."
    if kind != "model" or configs.get("materialized") != "incremental":
        return None
    strategy = configs.get(STRATEGY) or APPEND
    if has_macro(_strategy_macro(strategy)):
        return None
    if strategy not in STRATEGIES:
        return (
            f"{STRATEGY}: {strategy!r} is not one of {', '.join(STRATEGIES)}, and the project has no macro "
            f"{_strategy_macro(strategy)} ({model}). Leave it out for the default, {APPEND}."
        )
    can_change = _MERGING if strategy == MERGE else SESSION_FORMATS
    if strategy in (MERGE, DELETE_INSERT) and format_ not in can_change:
        return (
            f"{STRATEGY} {strategy} changes rows, and {_cannot(format_)} ({model}). "
            f"{_REMEDY}, or use {OVERWRITE} with {PARTITION_BY}."
        )
    if configs.get(STRATEGY) in (None, MERGE) and not own_macro(strategy, has_macro):
        said = [each for each in _OF_OTHER_MERGES if configs.get(each)]
        if said:
            are = "is a config" if len(said) == 1 else "are configs"
            return (
                f"{', '.join(said)} {are} of dbt-databricks that no {STRATEGY} has here, so that the table would come out "
                f"otherwise ({model}). Leave it out, or write a macro {_strategy_macro(MERGE)} in your project."
            )
    if strategy == DELETE_INSERT and not configs.get(UNIQUE_KEY):
        return f"{STRATEGY} {DELETE_INSERT} needs a {UNIQUE_KEY} ({model}). Add it, or use {APPEND}."
    if strategy == MICROBATCH and format_ not in SESSION_FORMATS and not configs.get(PARTITION_BY):
        return (
            f"{STRATEGY} {MICROBATCH} replaces partitions, and the model has no {PARTITION_BY} ({model}). "
            f"Add one as fine as batch_size. {_REMEDY} where it shall need none."
        )
    return None


def own_macro(strategy: str, has_macro: Callable[[str], bool]) -> str:
    """Which macro of the project makes a strategy's SQL: its `strategy`, as dbt documents it for all adapters; its
    `sql`, in place of dbt-spark's of that name; or none, which is empty.
    """
    if has_macro(_strategy_macro(strategy)):
        return "strategy"
    name = _SQL.get(strategy)
    return "sql" if name is not None and is_overridden(name, has_macro) else ""


def is_overridden(macro: str, has_macro: Callable[[str], bool]) -> bool:
    """True if the project has a macro of its own in place of dbt-spark's, by a name that dispatch looks for."""
    return any(has_macro(prefix + macro) for prefix in ("", *DISPATCHED))


def _strategy_macro(strategy: Any) -> str:
    return f"get_incremental_{strategy}_sql".replace("+", "_")


def idle_key(configs: Mapping[str, Any], kind: str, model: str) -> str | None:
    """The sentence for a `unique_key` by which no row is replaced; None where there is none."""
    said = kind == "model" and configs.get("materialized") == "incremental" and configs.get(UNIQUE_KEY)
    # Hudi has the key as its own primary key.
    if not said or configs.get(FORMAT) == "hudi" or (configs.get(STRATEGY) or APPEND) != APPEND:
        return None
    remedy = "Use" if configs.get(FORMAT) in _MERGING else f"{_REMEDY} and"
    return (
        f"{UNIQUE_KEY} has no effect with {STRATEGY} {APPEND}, the default: rows are added, and none is replaced ({model}). "
        f"{remedy} {STRATEGY} {MERGE}, or leave {UNIQUE_KEY} out."
    )


def files_left(format_: str | None, table: str, model: str) -> str | None:
    """The sentence for an Iceberg table that is to be dropped for one in another format; None for one in Iceberg."""
    if format_ == ICEBERG:
        return None
    return (
        f"{table} is an Iceberg table, whose files stay where it is dropped, and a table in another format cannot be "
        f"made beside them ({model}). Give it another alias; or run `drop table {table} purge`, and remove what is left "
        "of its folder."
    )


def is_unknown(existing: Any, configs: Mapping[str, Any]) -> bool:
    """True of a table in another catalog that would be dropped first, as if its format were not the model's."""
    return bool(
        configs.get(FORMAT) in SESSION_FORMATS
        and existing is not None
        and existing.database
        and existing.is_table
        and not existing.information
    )


def not_described(table: str, model: str) -> str:
    """The sentence for a table of another catalog that a list names and nothing else is known of."""
    return (
        f"{table} could not be described as dbt looked for what is there, so that its format is not known ({model}). It "
        "stays as it is. Run `dbt retry`; or drop it, if it is damaged."
    )


def overwrites_partitions(configs: Mapping[str, Any]) -> bool:
    """True for a model whose runs replace the partitions that they have rows for, and no others."""
    if configs.get("materialized") != "incremental" or not configs.get(PARTITION_BY):
        return False
    strategy = configs.get(STRATEGY)
    # A batch of the two formats replaces its own times.
    return strategy == OVERWRITE or (strategy == MICROBATCH and configs.get(FORMAT) not in SESSION_FORMATS)


def _cannot(format_: Any) -> str:
    return "a table without file_format cannot" if format_ is None else f"file_format {format_} cannot"
