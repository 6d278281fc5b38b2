"""The answer of `adaptive_run_stats`: read, and refused where a row has another form than the
table functions declare. Pure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.conf.extension_facts import exported

Row = Mapping[str, Any]
# By `queries`, `filters`, `dynamic` and `plans`, rows as the table functions have them.
RunStats = Mapping[str, Sequence[Row]]

# By kind of row: the table function that declares it, and what its columns are `of` that dbt's response is made from
_KINDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "queries": ("adaptive_query_stats", ()),
    "filters": ("adaptive_filter_stats", ("conjunct", "filter")),
    "dynamic": ("dynamic_filter_stats", ("scan", "filter")),
    "plans": ("adaptive_plan_stats", ("change",)),
}
_ALWAYS: Mapping[str, tuple[str, ...]] = {
    "queries": ("query_id",),
    "filters": (
        *("query_id", "filter_id", "predicate", "shape", "written_position", "final_position"),
        *("rows_monitored", "reorderings", "rows_in", "rows_out"),
    ),
    "dynamic": ("query_id", "verdict", "verdict_code"),
    "plans": ("query_id", "kind", "node", "tables", "planned", "actual"),
}
_MAY_BE_NULL: Mapping[str, tuple[str, ...]] = {"queries": ("rows_written",)}
_WORDS = "join"


def run_stats(text: str) -> RunStats:
    """Rows of the table functions about a scope's queries, by kind.

    Raises ValueError for an answer that is not what the table functions declare: a sentence's end that names the
    column.
    """
    try:
        stats = json.loads(text)
    except ValueError as error:
        raise ValueError(
            f"the answer of {len(text):,} characters is no JSON ({error}). Where a driver cuts texts, let it hand on longer ones: "
            "over ODBC, by DefaultStringColumnLength"
        ) from error
    if not isinstance(stats, dict):
        raise ValueError(f"the answer is {stats!r:.60}, not rows by their kind")
    return {kind: _rows(kind, stats.get(kind)) for kind in _KINDS}


def _rows(kind: str, rows: Any) -> Sequence[Row]:
    if not isinstance(rows, list):
        raise ValueError(f"the answer has no list of {kind}")
    types = _types(kind)
    for row in rows:
        if not isinstance(row, dict):
            raise ValueError(f"{kind} has {row!r:.60}, not a row")
        for name, type_ in types.items():
            if name not in row:
                raise ValueError(f"{kind} lacks the column {name}")
            _check(f"{kind}.{name}", row[name], type_, name not in _ALWAYS[kind])
        if kind == "plans" and row["kind"] != _WORDS:
            for name in ("planned", "actual"):
                if not (row[name].isascii() and row[name].isdecimal()):
                    raise ValueError(f"{kind}.{name} is {row[name]!r:.60}, not a number")
    return rows


def _types(kind: str) -> dict[str, str]:
    """The columns that are read of a kind of row, with their SQL types."""
    function, of = _KINDS[kind]
    named = (*_ALWAYS[kind], *_MAY_BE_NULL.get(kind, ()))
    return {
        each["name"]: each["type"]
        for each in exported("columns")[function]
        if each["of"] in of or each["name"] in named
    }


def _check(place: str, value: Any, type_: str, is_nullable: bool) -> None:
    if value is None and not is_nullable:
        raise ValueError(f"{place} is null")
    if value is not None and not _IS[type_](value):
        raise ValueError(f"{place} is {value!r:.60}, not of type {type_}")


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (type(value) is float and math.isfinite(value))


def _are_figures(value: Any) -> bool:
    return isinstance(value, dict) and all(each is None or _is_number(each) for each in value.values())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_IS: Mapping[str, Callable[[Any], bool]] = {
    "BIGINT": _is_whole,
    "INT": _is_whole,
    "DOUBLE": _is_number,
    "STRING": _is_text,
    "BOOLEAN": lambda value: isinstance(value, bool),
    "MAP<STRING, DOUBLE>": _are_figures,
}
