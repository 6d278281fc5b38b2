"""How the orders of a node's filters moved over its last runs: bounded, and merged from run to run. Pure.

It is kept for people to look at (`dbt-adaptive-spark report`); Spark is never given it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

_MOST_RUNS = 10
_MOST_FILTERS = 20
_MOST_CONJUNCTS = 200
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True)
class FilterOrders:
    """A filter, by its conjuncts' shapes in written order, and in which order they stood
    when each of its last runs ended.

    `runs`: by when a run began, in UTC, the conjuncts' written places from 0, first what was evaluated first.
    """

    conjuncts: tuple[str, ...]
    runs: Mapping[str, tuple[int, ...]]

    def __post_init__(self) -> None:
        if len(self.conjuncts) < 2 or not all(isinstance(each, str) for each in self.conjuncts):
            raise ValueError(f"{self.conjuncts!r:.100} are not the shapes of two conjuncts or more")
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
    """In which order a statement's filters ended, from their entries in dbt's response;
    without those that met no row.
    """
    ended = (_order(learned["conjuncts"], began) for learned in filters)
    return tuple(each for each in ended if each is not None)


def _order(conjuncts: Sequence[Mapping[str, Any]], began: str) -> FilterOrders | None:
    if not 2 <= len(conjuncts) <= _MOST_CONJUNCTS or not any(each["rows_monitored"] for each in conjuncts):
        return None
    written = sorted(conjuncts, key=lambda each: int(each["written_position"]))
    shapes = tuple(str(each["shape"]) for each in written)
    # sorted, so that it is an order whatever the positions are
    order = sorted(range(len(written)), key=lambda place: int(written[place]["final_position"]))
    return FilterOrders(shapes, {began: tuple(order)})


def merged(known: Orders, fresh: Orders) -> tuple[FilterOrders, ...]:
    """Both, bounded; of a run that both know, what is `fresh`. The filters that ran last come first.

    Several filters of the same shapes, as of two SELECTs, keep a history each: the first goes on with the first.
    """
    waiting = list(known)
    grown = [_with_runs_of(taken(waiting, each.conjuncts), each) for each in fresh]
    newest_first = sorted([*grown, *waiting], key=lambda each: each.newest, reverse=True)
    return tuple(newest_first[:_MOST_FILTERS])


def taken(waiting: list[FilterOrders], conjuncts: tuple[str, ...]) -> FilterOrders | None:
    """The first filter of these shapes, which is then no longer among those that wait."""
    found = next((each for each in waiting if each.conjuncts == conjuncts), None)
    if found is not None:
        waiting.remove(found)
    return found


def _with_runs_of(before: FilterOrders | None, each: FilterOrders) -> FilterOrders:
    runs = {**(before.runs if before is not None else {}), **each.runs}
    return FilterOrders(each.conjuncts, dict(sorted(runs.items())[-_MOST_RUNS:]))
