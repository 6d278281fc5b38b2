"""What adaptive execution made of a statement's plan, from Spark's own words to what dbt writes into its artifacts and on the console. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_COALESCED, _SPLIT, _JOIN, _ROWS = "coalesced", "split", "join", "rows"

PlanChanges = Mapping[str, Sequence[Mapping[str, Any]]]


def plan_changes(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """By kind, from rows of `adaptive_plan_stats()`; without the kinds of which there is none.

    `coalesced`: shuffles whose partitions became fewer; `split`: those with skewed partitions, which became several; `join`: joins by their
    operators; `rows`: stages of which the planner expected another number of rows, by more than ten times.
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
        }
        changes.setdefault(row["kind"], []).append(
            {key: value for key, value in of.items() if value is not None}
        )
    return changes


def summary(changes: PlanChanges) -> list[str]:
    """The console line's few words on each kind, such as `1 join became BroadcastHashJoin`."""
    joins, coalesced, split, rows = (changes.get(kind, ()) for kind in (_JOIN, _COALESCED, _SPLIT, _ROWS))
    return [*_joins(joins), *_coalesced(coalesced), *_split(split), *_rows(rows)]


def advice(changes: PlanChanges) -> list[str]:
    """A sentence for each stage of which the planner expected too wrong a number of rows."""
    return [
        f"{each['tables']}: {each['actual']:,} rows where Spark's planner expected {each['planned']:,} ({each['node']})"
        for each in changes.get(_ROWS, ())
    ]


def sentences(changes: PlanChanges) -> list[str]:
    """A sentence for each change, those that say most first."""
    joins, coalesced, split, rows = (changes.get(kind, ()) for kind in (_JOIN, _COALESCED, _SPLIT, _ROWS))
    return [
        *(f"{each['actual']} instead of {each['planned']} joined {each['tables']}." for each in joins),
        *(
            f"{each['tables']}: {each['actual']:,} rows came out of {each['node']} where {each['planned']:,} were expected."
            for each in rows
        ),
        *(
            f"{each['tables']}: {each['planned']:,} skewed partition{'' if each['planned'] == 1 else 's'} of a shuffle "
            f"became {each['actual']:,}."
            for each in split
        ),
        *(
            f"{each['tables']}: {each['planned']:,} partitions of a shuffle were coalesced to {each['actual']:,}."
            for each in coalesced
        ),
    ]


def _joins(joins: Sequence[Mapping[str, Any]]) -> list[str]:
    became = [each["actual"] for each in joins]
    return [
        f"{became.count(name)} join{'' if became.count(name) == 1 else 's'} became {name}"
        for name in dict.fromkeys(became)
    ]


def _coalesced(shuffles: Sequence[Mapping[str, Any]]) -> list[str]:
    if not shuffles:
        return []
    planned, actual = (sum(each[key] for each in shuffles) for key in ("planned", "actual"))
    return [f"{planned:,} partitions coalesced to {actual:,}"]


def _split(shuffles: Sequence[Mapping[str, Any]]) -> list[str]:
    planned, actual = (sum(each[key] for each in shuffles) for key in ("planned", "actual"))
    return (
        [f"{planned:,} skewed partition{'' if planned == 1 else 's'} split into {actual:,}"]
        if shuffles
        else []
    )


def _rows(stages: Sequence[Mapping[str, Any]]) -> list[str]:
    return (
        [f"{len(stages):,} estimate{'' if len(stages) == 1 else 's'} of rows off by more than 10 ×"]
        if stages
        else []
    )
