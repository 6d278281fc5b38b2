"""Evidence about the filters of each node, from run to run: added up, aged, bounded, and as text. Pure.

It has the counts that `adaptive_filter_stats()` shows, by node and by the shape of a predicate. Spark makes the shape:
it has no constants and no schema, so a file helps in any target. Spark starts from the evidence and checks it against
the rows that it meets. It is not an order.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from dbt.adapters.adaptive_spark.conf.extension_facts import threshold
from dbt.adapters.adaptive_spark.conf.quoting import literal
from dbt.adapters.adaptive_spark.learned import order_history
from dbt.adapters.adaptive_spark.learned.order_history import FilterOrders, Orders
from dbt.adapters.adaptive_spark.response.statement_response import FILTERED

# beside dbt's own artifacts
FILE_NAME = "adaptive_filters.json"
# of the file; that of a prior is Spark's to say
_VERSION = 2
# What a run saw counts half in the next one. All earlier runs together then never outweigh the latest of the same size,
# so that data which changed is soon believed; and a day with few rows does not wipe out what many days have shown.
_HALVED = 2
# Runs. Jobs that build a few models each run many times a day, and share the file with those of a week.
_LONGEST_ABSENCE = 1_000
_MOST_NODES = 5_000
_MOST_PREDICATES = 200
_MOST_JOINS = 100
# Spark refuses one of twice as many characters (Priors.scala)
_LONGEST_PRIOR = 32_768
_LARGEST_COUNT = 2**62  # a BIGINT in Spark, with room to add


@dataclass(frozen=True)
class Evidence:
    """Counts of one predicate: rows it was evaluated on, rows of these it was true for, and nanoseconds that took."""

    monitored: int
    passed: int
    nanos: int

    def __post_init__(self) -> None:
        counts = (self.monitored, self.passed, self.nanos)
        if not all(type(count) is int and 0 <= count <= _LARGEST_COUNT for count in counts):
            raise ValueError(f"{counts} are not counts")
        if self.passed > self.monitored:
            raise ValueError(f"{self.passed} rows of {self.monitored} passed")

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(
            min(self.monitored + other.monitored, _LARGEST_COUNT),
            min(self.passed + other.passed, _LARGEST_COUNT),
            min(self.nanos + other.nanos, _LARGEST_COUNT),
        )

    def halved(self) -> Evidence:
        """These counts, one age older."""
        return Evidence(self.monitored // _HALVED, self.passed // _HALVED, self.nanos // _HALVED)


# By shape
Predicates = Mapping[str, Evidence]

# By the signature of a dynamic filter, the rows of 1,000 that it kept; None in a statement that did without it
Kept = Mapping[str, "int | None"]
_ROWS_OF_JOIN = 1_000


@dataclass(frozen=True)
class JoinMemory:
    """The past of a dynamic filter, in rows of 1,000 that it kept.

    `left_out` counts the runs since then that left it out because of `kept`. `before` is what it kept the time before.
    """

    kept: int
    left_out: int = 0
    before: int | None = None

    def __post_init__(self) -> None:
        for kept in (self.kept, 0 if self.before is None else self.before):
            if type(kept) is not int or not 0 <= kept <= _ROWS_OF_JOIN:
                raise ValueError(f"{kept!r} is not a number of rows of {_ROWS_OF_JOIN}")
        if type(self.left_out) is not int or self.left_out < 0:
            raise ValueError(f"{self.left_out!r} is not a number of runs")


@dataclass(frozen=True)
class Learned:
    """Evidence from a node's statements.

    `predicates` are counts by predicate shape. `kept` are the rows of 1,000 that its dynamic filters kept. `orders` are
    its filters' orders in the end.
    """

    predicates: Predicates = field(default_factory=dict)
    kept: Kept = field(default_factory=dict)
    orders: Orders = ()

    def __add__(self, newer: Learned) -> Learned:
        kept = dict(self.kept)
        for signature, rows in newer.kept.items():
            kept[signature] = _least(kept.get(signature), rows)
        return Learned(
            added(self.predicates, newer.predicates), kept, order_history.merged(self.orders, newer.orders)
        )


def _least(first: int | None, second: int | None) -> int | None:
    """The fewer rows that a filter has kept in a run: scans of several tables, schemas or batches may share a
    signature, and the filter is worth its cost if it is in one of them.
    """
    known = [rows for rows in (first, second) if rows is not None]
    return min(known, default=None)


@dataclass(frozen=True)
class NodeMemory:
    """A node's evidence by the shapes of its predicates, for how many runs the node has not been seen, its dynamic
    filters, and how the orders of its filters moved, of which Spark is told nothing.
    """

    predicates: Predicates = field(default_factory=dict)
    age: int = 0
    joins: Mapping[str, JoinMemory] = field(default_factory=dict)
    orders: Orders = ()

    def __post_init__(self) -> None:
        if type(self.age) is not int or self.age < 0:
            raise ValueError(f"{self.age!r} is not a number of runs")


Nodes = Mapping[str, NodeMemory]


def evidence(filters: Iterable[Mapping[str, Any]]) -> dict[str, Evidence]:
    """Evidence of a statement's filters by predicate shape, from their entries in dbt's response.

    Empty where no row was monitored.
    """
    seen: dict[str, Evidence] = {}
    for conjunct in (each for learned in filters for each in learned["conjuncts"]):
        monitored = conjunct["rows_monitored"]
        if monitored:
            passed, nanos = (round(conjunct[share] * monitored) for share in ("selectivity", "cost_ns"))
            seen = added(seen, {conjunct["shape"]: Evidence(monitored, passed, nanos)})
    return seen


def kept_by_joins(dynamic: Iterable[Mapping[str, Any]]) -> dict[str, int | None]:
    """Rows of 1,000 that a statement's dynamic filters kept, by signature, from their entries in dbt's response.

    All 1,000 where the scan waited for keys that could not be had. None where the filter was left out.
    """
    seen: dict[str, int | None] = {}
    for each in dynamic:
        signature = each["signature"]
        if signature is None:
            continue
        if each["rows_read"] is not None and each["verdict_code"] != FILTERED:
            seen[signature] = _least(seen.get(signature), _ROWS_OF_JOIN)
        elif each["kept"] is not None:
            seen[signature] = _least(seen.get(signature), round(each["kept"] * _ROWS_OF_JOIN))
        elif each["rows_read"] is None:
            seen.setdefault(signature, None)
    return seen


def added(first: Predicates, second: Predicates) -> dict[str, Evidence]:
    """The evidence of both, added up where they know the same shape."""
    total = dict(first)
    for shape, more in second.items():
        total[shape] = total[shape] + more if shape in total else more
    return total


def grown_older(nodes: Nodes) -> dict[str, NodeMemory]:
    """The nodes one run later, without those that have not been seen for too long."""
    return {
        unique_id: replace(node, age=node.age + 1)
        for unique_id, node in nodes.items()
        if node.age < _LONGEST_ABSENCE
    }


def merged(
    nodes: Nodes,
    learned: Mapping[str, Learned],
    halved: Collection[str] = (),
    counted: Collection[tuple[str, str]] = (),
) -> dict[str, NodeMemory]:
    """`nodes` with what was `learned`, by node.

    What is known of a node's predicates counts half once new evidence joins it, and a filter that was left out is a run
    closer to being tried again; save for nodes, and nodes' filters, whose turn in this run has been (`halved`,
    `counted`). A node that monitored no row keeps what it has.
    """
    total = dict(nodes)
    for unique_id, fresh in learned.items():
        node = nodes.get(unique_id, NodeMemory())
        keeps = unique_id in halved or not fresh.predicates
        known = node.predicates if keeps else _halved(node.predicates)
        predicates = dict(_most_monitored(added(known, fresh.predicates))[:_MOST_PREDICATES])
        seen = {signature for signature in fresh.kept if (unique_id, signature) in counted}
        joins = dict(list(_joins(node.joins, fresh.kept, seen).items())[-_MOST_JOINS:])
        if predicates or joins:
            orders = order_history.merged(node.orders, fresh.orders)
            total[unique_id] = NodeMemory(predicates, joins=joins, orders=orders)
    return dict(sorted(total.items(), key=lambda item: item[1].age)[:_MOST_NODES])


def _joins(known: Mapping[str, JoinMemory], fresh: Kept, counted: Collection[str]) -> dict[str, JoinMemory]:
    """Those that ran last come last. What is known of `counted` ones is of this run."""
    joins = dict(known)
    for signature, rows in fresh.items():
        before, is_counted = joins.pop(signature, None), signature in counted
        if before is None:
            if rows is not None:
                joins[signature] = JoinMemory(rows)
        elif rows is None:
            joins[signature] = before if is_counted else replace(before, left_out=before.left_out + 1)
        elif not is_counted or before.left_out:
            joins[signature] = JoinMemory(rows, before=before.kept)
        else:
            joins[signature] = JoinMemory(min(rows, before.kept), before=before.before)
    return joins


def prior(node: NodeMemory) -> str | None:
    """Evidence for Spark before a node runs, as JSON; None where there is none.

    `{"version":2,"predicates":{"<shape>":[monitored,passed,nanos]},"joins":{"<signature>":kept}}`

    The joins are those that are known from two runs and that are not due to be looked at again, each with the smaller
    number of rows that it kept. The predicates are the best known ones that fit.
    """
    joins = {
        signature: min(join.kept, join.before)
        for signature, join in node.joins.items()
        if join.before is not None and join.left_out < threshold("dynamic_patience")
    }
    entries = [
        f"{json.dumps(shape)}:[{seen.monitored},{seen.passed},{seen.nanos}]"
        for shape, seen in _most_monitored(node.predicates)
    ]
    of_joins, room = _fitting(
        [f"{json.dumps(signature)}:{kept}" for signature, kept in joins.items()], _LONGEST_PRIOR
    )
    of_predicates, _ = _fitting(entries, room)
    if not of_joins and not of_predicates:
        return None
    more = f',"joins":{{{",".join(of_joins)}}}' if of_joins else ""
    return f'{{"version":{threshold("prior_version"):.0f},"predicates":{{{",".join(of_predicates)}}}{more}}}'


def remember_sql(query_tag: str, run_id: str, known: str) -> str:
    """The query that tells the driver what is known of the queries with these labels, before they run; it is no conf,
    which Spark would write into the properties of each job.
    """
    return f"select done from adaptive_remember({', '.join(map(literal, (query_tag, run_id, known)))})"


def _fitting(entries: Iterable[str], room: int) -> tuple[list[str], int]:
    """The first entries that fit, and the room that is left."""
    fitting: list[str] = []
    for entry in entries:
        if len(entry) + 1 > room:
            break
        room -= len(entry) + 1
        fitting.append(entry)
    return fitting, room


def as_text(nodes: Nodes) -> str:
    """The file's content: ASCII, nodes and predicates in alphabetical order, and joins in that of their last run."""
    entries = {unique_id: _without_empty(asdict(nodes[unique_id])) for unique_id in sorted(nodes)}
    for entry in entries.values():
        entry["predicates"] = dict(sorted(entry["predicates"].items()))
    return json.dumps({"nodes": entries, "version": _VERSION}, separators=(",", ":"))


def from_text(text: str | bytes) -> dict[str, NodeMemory]:
    """The nodes of a file's content. Raises ValueError with what is wrong, as the end of a sentence."""
    try:
        content = json.loads(text)
        version = content["version"]
        if version == _VERSION:
            return {unique_id: _node(entry) for unique_id, entry in content["nodes"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("is not what this adapter writes") from error
    raise ValueError(f"is of version {version!s:.20}, and this release reads version {_VERSION}")


def _without_empty(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in ("joins", "orders") or value}


def _node(entry: Any) -> NodeMemory:
    return NodeMemory(
        {shape: Evidence(**counts) for shape, counts in entry["predicates"].items()},
        entry["age"],
        {signature: JoinMemory(**join) for signature, join in entry.get("joins", {}).items()},
        tuple(FilterOrders.of(each) for each in entry.get("orders", ())),
    )


def _halved(predicates: Predicates) -> dict[str, Evidence]:
    halves = {shape: seen.halved() for shape, seen in predicates.items()}
    return {shape: half for shape, half in halves.items() if half.monitored}


def _most_monitored(predicates: Predicates) -> list[tuple[str, Evidence]]:
    return sorted(predicates.items(), key=lambda item: -item[1].monitored)
