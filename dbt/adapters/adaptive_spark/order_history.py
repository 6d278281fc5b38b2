"""How the orders of a node's filters moved over its last runs: bounded, and merged from run to run. Pure.

It is kept for people to look at (`dbt-adaptive-spark report`); Spark is never given it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from dbt.adapters.adaptive_spark.predicate_text import is_cut, without_constants

_MOST_RUNS = 10
_MOST_FILTERS = 20
_MOST_CONJUNCTS = 200
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True)
class FilterOrders:
    """A filter, by its conjuncts' texts in written order, and in which order they stood when each of its last runs ended.

    `runs`: by when a run began, in UTC, the conjuncts' written places from 0, first what was evaluated first.
    """

    conjuncts: tuple[str, ...]
    runs: Mapping[str, tuple[int, ...]]

    def __post_init__(self) -> None:
        if len(self.conjuncts) < 2 or not all(isinstance(each, str) for each in self.conjuncts):
            raise ValueError(f"{self.conjuncts!r:.100} are not the texts of two conjuncts or more")
        for began, order in self.runs.items():
            if not _TIME.fullmatch(began):
                raise ValueError(f"{began!r:.100} is not a time in UTC")
            if not all(type(place) is int for place in order) or sorted(order) != [
                *range(len(self.conjuncts))
            ]:
                raise ValueError(f"{order!r:.100} is not an order of {len(self.conjuncts)} conjuncts")

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> FilterOrders:
        """From what `asdict` makes of it. Raises ValueError, TypeError or the like where it is something else."""
        return cls(tuple(entry["conjuncts"]), {began: tuple(order) for began, order in entry["runs"].items()})

    @property
    def newest(self) -> str:
        return max(self.runs, default="")


Orders = Sequence[FilterOrders]


def as_time(moment: datetime) -> str:
    """A moment in UTC, to the second."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def orders(filters: Iterable[Mapping[str, Any]], began: str) -> tuple[FilterOrders, ...]:
    """In which order a statement's filters ended, from their entries in dbt's response; without those that met no row or whose texts are cut."""
    ended = (_order(learned["conjuncts"], began) for learned in filters)
    return tuple(each for each in ended if each is not None)


def _order(conjuncts: Sequence[Mapping[str, Any]], began: str) -> FilterOrders | None:
    if not 2 <= len(conjuncts) <= _MOST_CONJUNCTS or not any(each["rows_monitored"] for each in conjuncts):
        return None
    written = sorted(conjuncts, key=lambda each: int(each["written_position"]))
    texts = tuple(str(each["predicate"]) for each in written)
    if any(map(is_cut, texts)):
        return None
    # sorted, so that it is an order whatever the positions are
    order = sorted(range(len(written)), key=lambda place: int(written[place]["final_position"]))
    return FilterOrders(texts, {began: tuple(order)})


def merged(known: Orders, fresh: Orders) -> tuple[FilterOrders, ...]:
    """Both, bounded; of a run that both know, what is `fresh`. The filters that ran last come first.

    A filter whose constants alone are others, such as the day from which it reads, goes on with the history of the one before.
    """
    waiting = list(known)
    before: dict[int, FilterOrders] = {}
    for is_same in (_same_texts, _same_but_for_constants):
        for at, each in enumerate(fresh):
            match = None if at in before else next((old for old in waiting if is_same(old, each)), None)
            if match is not None:
                before[at] = match
                waiting.remove(match)
    grown = [_with_runs_of(before.get(at), each) for at, each in enumerate(fresh)]
    newest_first = sorted([*grown, *waiting], key=lambda each: each.newest, reverse=True)
    return tuple(newest_first[:_MOST_FILTERS])


def _same_texts(one: FilterOrders, other: FilterOrders) -> bool:
    return one.conjuncts == other.conjuncts


def _same_but_for_constants(one: FilterOrders, other: FilterOrders) -> bool:
    return len(one.conjuncts) == len(other.conjuncts) and all(
        without_constants(left) == without_constants(right)
        for left, right in zip(one.conjuncts, other.conjuncts, strict=True)
    )


def _with_runs_of(before: FilterOrders | None, each: FilterOrders) -> FilterOrders:
    runs = {**(before.runs if before is not None else {}), **each.runs}
    return FilterOrders(each.conjuncts, dict(sorted(runs.items())[-_MOST_RUNS:]))
