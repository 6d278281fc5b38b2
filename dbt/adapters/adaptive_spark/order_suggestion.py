"""The config `filter_order` that would start a model's filter from the order which it has learned. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import errors, exp, parse_one
from sqlglot.optimizer.scope import walk_in_scope

from dbt.adapters.adaptive_spark.column_use import DIALECT, UnreadSqlError, parsed
from dbt.adapters.adaptive_spark.run_results import Filter

_MOST_COLUMNS = 5
_NULL_CHECK = re.compile(r"\(?[\w.`]+ IS NOT NULL\)?")


def filter_order(learned: Filter, compiled_code: str) -> list[str] | None:
    """The columns, in the order in which their conjuncts came to run; None where the config would not say it.

    It goes into the outermost SELECT, and a name that is no column there fails the query. So each column must be one of that SELECT's own WHERE.
    """
    try:
        query = parsed(compiled_code)
    except UnreadSqlError:
        return None
    where = query.args.get("where") if isinstance(query, exp.Select) else None
    if where is None:
        return None
    known = {node.name for node in walk_in_scope(where) if isinstance(node, exp.Column)}
    written = sorted(learned.conjuncts, key=lambda each: each.written)
    now, before = (_columns([each.predicate for each in order]) for order in (learned.conjuncts, written))
    if now is None or now == before or not known.issuperset(now):
        return None
    return now[:_MOST_COLUMNS]


def _columns(predicates: Sequence[str]) -> list[str] | None:
    """The first column of each, once; without the null checks, which Spark adds. None where a predicate is not understood."""
    found: list[str] = []
    for predicate in predicates:
        if _NULL_CHECK.fullmatch(predicate):
            continue
        try:
            columns = list(parse_one(predicate, dialect=DIALECT).find_all(exp.Column, bfs=False))
        except (errors.SqlglotError, RecursionError):
            return None
        if not columns:
            return None
        found.append(columns[0].name.lower())
    return list(dict.fromkeys(found))
