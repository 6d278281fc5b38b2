"""The config `filter_order` that would start a model's filter from the order which it has learned. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import errors, exp, parse_one

from dbt.adapters.adaptive_spark.report.run_results import Conjunct, Filter
from dbt.adapters.adaptive_spark.response.predicate_text import added_by_spark
from dbt.adapters.adaptive_spark.statistics.column_usage import DIALECT, UnreadSqlError, parsed

_MOST_COLUMNS = 5


def filter_order(learned: Filter, compiled_code: str) -> list[str] | None:
    """The columns, in the order in which their conjuncts came to run; None where the config would not say it.

    It goes into the outermost SELECT, and a name that is no column there fails the query. So that SELECT must read one
    table, and the filter's predicates must be as many as its WHERE has conjuncts and be of that table's columns.
    """
    try:
        query = parsed(compiled_code)
    except UnreadSqlError:
        return None
    names = _table(query)
    where = query.args.get("where")
    if not names or where is None:
        return None
    conjuncts = [each for each in learned.conjuncts if added_by_spark(each.predicate) is None]
    if len(conjuncts) != len(list(where.this.flatten() if isinstance(where.this, exp.And) else [where.this])):
        return None
    now = _columns(conjuncts, names)
    before = _columns(sorted(conjuncts, key=lambda each: each.written), names)
    return None if now is None or now == before else now[:_MOST_COLUMNS]


def _table(query: exp.Query) -> set[str]:
    """The names of the one table that a SELECT reads; none where it reads anything else."""
    source = query.find(exp.From) if isinstance(query, exp.Select) and not query.args.get("joins") else None
    if source is None or source.parent is not query or not isinstance(source.this, exp.Table):
        return set()
    return {source.this.name, source.this.alias} - {""}


def _columns(conjuncts: Sequence[Conjunct], names: set[str]) -> list[str] | None:
    """The first column of each, once; None where a predicate is not understood or is of another table."""
    found: list[str] = []
    for conjunct in conjuncts:
        try:
            tree = parse_one(conjunct.predicate, dialect=DIALECT)
        except (errors.SqlglotError, RecursionError):
            return None
        columns = list(tree.find_all(exp.Column, bfs=False))
        if not columns or tree.find(exp.Dot) or any(each.table.lower() not in names for each in columns):
            return None
        found.append(columns[0].name.lower())
    return list(dict.fromkeys(found))
