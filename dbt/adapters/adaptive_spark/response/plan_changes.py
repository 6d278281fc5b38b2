"""Changes of plans by adaptive execution: from Spark's own words to dbt's artifacts and the console. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.conf.extension_facts import threshold
from dbt.adapters.adaptive_spark.response.numbers import counted, listed
from dbt.adapters.adaptive_spark.response.predicate_text import without_catalog

_WRONG_BY = threshold("rows_misjudged_by")
_COALESCED, _SPLIT, _JOIN, _ROWS = "coalesced", "split", "join", "rows"

_OPERATORS = {
    "BroadcastHashJoin": "broadcast join",
    "BroadcastNestedLoopJoin": "broadcast nested-loop join",
    "CartesianProduct": "cross join",
    "ShuffledHashJoin": "shuffled hash join",
    "SortMergeJoin": "sort-merge join",
}
_MOST_NAMES = 3
# Beyond it a number says no more.
_MOST_TIMES = 1_000_000

PlanChanges = Mapping[str, Sequence[Mapping[str, Any]]]


def plan_changes(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """By kind, from rows of `adaptive_plan_stats()`; without the kinds of which there is none.

    `coalesced`: shuffles whose partitions became fewer; `split`: those with skewed partitions, which became several;
    `join`: joins by their operators; `rows`: stages of which the planner had estimated another number of rows, by more
    than ten times. There `planned` is an estimate, and `actual` a count; `statistics` names the tables whose statistics
    may mend the estimate, and is empty where none may.
    """
    changes: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        planned, actual = (
            row[key] if row["kind"] == _JOIN else int(row[key]) for key in ("planned", "actual")
        )
        of = {
            "stage": row["stage"],
            "node": row["node"],
            "tables": row["tables"],
            "planned": planned,
            "actual": actual,
            "statistics": row["statistics"],
        }
        changes.setdefault(row["kind"], []).append(
            {key: value for key, value in of.items() if value is not None}
        )
    return changes


def statistics_words(changes: PlanChanges) -> list[str]:
    """The console line's words on tables of whose rows alone the planner's estimate was wrong,
    and whose statistics may mend it.
    """
    wrong: dict[str, Mapping[str, Any]] = {}
    for each in changes.get(_ROWS, ()):
        table = each["tables"]
        if table in wanting_statistics(each) and "/" not in table:  # a directory has no statistics
            wrong.setdefault(table.rpartition(".")[2], each)
    if not wrong:
        return []
    names = sorted(wrong)
    if len(names) == 1:
        why = "Spark estimated {planned:,} rows and counted {actual:,}".format_map(wrong[names[0]])
    else:
        why = f"Spark's estimates of their rows were more than {_WRONG_BY:g} × wrong"
    return [f"statistics of {listed(names, _MOST_NAMES)} may help ({why})"]


def wanting_statistics(change: Mapping[str, Any]) -> list[str]:
    """The tables whose statistics may mend a wrong estimate: those that Spark named, of an earlier
    release's response all that were read.
    """
    names = str(change.get("statistics", change["tables"]))
    return names.split(", ") if names else []


def summary(changes: PlanChanges) -> list[str]:
    """The page's few words on each kind of change, such as `1 join became a broadcast
    join`; estimates are no changes.
    """
    joins, coalesced, split = (changes.get(kind, ()) for kind in (_JOIN, _COALESCED, _SPLIT))
    return [*_joins(joins), *_split(split), *_coalesced(coalesced)]


def chips(changes: PlanChanges) -> list[str]:
    """The few words on one model: without the partitions that Spark merges in nearly
    every one, and with its estimates.
    """
    return [*summary({**changes, _COALESCED: ()}), *_estimates(changes.get(_ROWS, ()))]


def advice(changes: PlanChanges) -> list[str]:
    """A sentence for each stage of which the planner had estimated too wrong a number of rows."""
    return [_estimate(each) for each in changes.get(_ROWS, ())]


def sentences(changes: PlanChanges) -> list[str]:
    """A sentence for each change, those that say most first."""
    joins, coalesced, split = (changes.get(kind, ()) for kind in (_JOIN, _COALESCED, _SPLIT))
    return [
        *(
            f"Spark planned a {operator_name(each['planned'])} of {_tables(each)}, and switched to a {operator_name(each['actual'])} while the query ran."
            for each in joins
        ),
        *advice(changes),
        *(
            f"{counted(each['planned'], 'oversized partition')} in a shuffle of {_tables(each)} {_was(each['planned'])} split into {each['actual']:,}."
            for each in split
        ),
        *(
            f"{counted(each['planned'], 'partition')} in a shuffle of {_tables(each)} {_was(each['planned'])} merged into {each['actual']:,}, as they held little data."
            for each in coalesced
        ),
    ]


def times_wrong(planned: int, actual: int) -> int:
    """How many times the smaller number is in the larger one, rounded. Spark's estimates have no bound."""
    least = max(1, min(planned, actual))
    return (max(planned, actual) + least // 2) // least


def factor(planned: int, actual: int) -> str:
    """How wrong an estimate was: `132 × too high`, `34 × too low`."""
    times = times_wrong(planned, actual)
    shown = f"{times:,}" if times <= _MOST_TIMES else f"more than {_MOST_TIMES:,}"
    return f"{shown} × too {'high' if planned > actual else 'low'}"


def _estimate(change: Mapping[str, Any]) -> str:
    return (
        f"Before the query ran, Spark estimated {counted(change['planned'], 'row')} from {_tables(change)}. "
        f"While it ran, {change['actual']:,} were counted, so the estimate was {factor(change['planned'], change['actual'])}."
    )


def _estimates(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if len(rows) == 1:
        return [f"row estimate {factor(rows[0]['planned'], rows[0]['actual'])}"]
    return [f"{len(rows):,} row estimates more than {_WRONG_BY:g} × wrong"] if rows else []


def _tables(change: Mapping[str, Any]) -> str:
    return without_catalog(change["tables"]).replace(", ", " and ") or "values in the SQL"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def operator_name(name: str) -> str:
    """The words for an operator of Spark's, such as `broadcast join` for `BroadcastHashJoin`; else its own name."""
    return _OPERATORS.get(name, name)


def _joins(joins: Sequence[Mapping[str, Any]]) -> list[str]:
    became = [operator_name(each["actual"]) for each in joins]
    return [
        f"1 join became a {name}"
        if became.count(name) == 1
        else f"{became.count(name):,} joins became {name}s"
        for name in dict.fromkeys(became)
    ]


def _coalesced(shuffles: Sequence[Mapping[str, Any]]) -> list[str]:
    planned, actual = (sum(each[key] for each in shuffles) for key in ("planned", "actual"))
    return [f"{counted(planned, 'partition')} merged into {actual:,}"] if shuffles else []


def _split(shuffles: Sequence[Mapping[str, Any]]) -> list[str]:
    planned, actual = (sum(each[key] for each in shuffles) for key in ("planned", "actual"))
    return [f"{counted(planned, 'oversized partition')} split into {actual:,}"] if shuffles else []
