"""What adaptive execution made of a statement's plan, from Spark's own words to what dbt writes into its artifacts and on the console. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.response.numbers import counted

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


def misjudged(changes: PlanChanges) -> list[str]:
    """The console line's words on tables of whose rows alone the planner was wrong: statistics of those may mend it."""
    names = sorted(
        {
            _last_part(each["tables"])
            for each in changes.get(_ROWS, ())
            if each["tables"] and _is_one(each["tables"])
        }
    )
    if not names:
        return []
    whose = f"estimate of {names[0]}" if len(names) == 1 else f"estimates of {len(names)} tables"
    return [f"row {whose} off by more than 10 ×"]


def summary(changes: PlanChanges) -> list[str]:
    """The page's few words on each kind, such as `1 join became BroadcastHashJoin`."""
    joins, coalesced, split, rows = (changes.get(kind, ()) for kind in (_JOIN, _COALESCED, _SPLIT, _ROWS))
    estimates = [f"{counted(len(rows), 'row estimate')} off by more than 10 ×"] if rows else []
    return [*_joins(joins), *_coalesced(coalesced), *_split(split), *estimates]


def advice(changes: PlanChanges) -> list[str]:
    """A sentence for each stage of which the planner expected too wrong a number of rows."""
    return [_estimate(each) for each in changes.get(_ROWS, ())]


def sentences(changes: PlanChanges) -> list[str]:
    """A sentence for each change, those that say most first."""
    joins, coalesced, split, rows = (changes.get(kind, ()) for kind in (_JOIN, _COALESCED, _SPLIT, _ROWS))
    return [
        *(
            f"Spark planned a {each['planned']} of {_tables(each)} and ran a {each['actual']}."
            for each in joins
        ),
        *map(_estimate, rows),
        *(
            f"{counted(each['planned'], 'skewed partition')} in a shuffle of {_tables(each)} became {each['actual']:,}."
            for each in split
        ),
        *(
            f"{counted(each['planned'], 'partition')} in a shuffle of {_tables(each)} became {each['actual']:,}."
            for each in coalesced
        ),
    ]


def _estimate(change: Mapping[str, Any]) -> str:
    return f"Spark expected {counted(change['planned'], 'row')} from {_tables(change)} and got {change['actual']:,}."


def _tables(change: Mapping[str, Any]) -> str:
    return change["tables"] or "values in the SQL"


def _is_one(tables: str) -> bool:
    return ", " not in tables


def _last_part(table: str) -> str:
    """The name of `catalog.schema.name`, or of a directory."""
    return table.rpartition("/" if "/" in table else ".")[2]


def _joins(joins: Sequence[Mapping[str, Any]]) -> list[str]:
    became = [each["actual"] for each in joins]
    return [f"{counted(became.count(name), 'join')} became {name}" for name in dict.fromkeys(became)]


def _coalesced(shuffles: Sequence[Mapping[str, Any]]) -> list[str]:
    planned, actual = (sum(each[key] for each in shuffles) for key in ("planned", "actual"))
    return [f"{counted(planned, 'partition')} coalesced to {actual:,}"] if shuffles else []


def _split(shuffles: Sequence[Mapping[str, Any]]) -> list[str]:
    planned, actual = (sum(each[key] for each in shuffles) for key in ("planned", "actual"))
    return [f"{counted(planned, 'skewed partition')} split into {actual:,}"] if shuffles else []
