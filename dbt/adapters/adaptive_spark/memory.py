"""What the filters of each node learned, from run to run: added up, aged, bounded, and as text. Pure.

The same counts as `adaptive_filter_stats()` shows, by node and by predicate. They are evidence for Spark to start from
and to check against the rows that it meets, not an order.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

_VERSION = 1
# What a run saw counts half in the next one. All earlier runs together then never outweigh the latest of the same size,
# so that data which changed is soon believed; and a day with few rows does not wipe out what many days have shown.
_HALVED = 2
_LONGEST_ABSENCE = 30  # runs
_MOST_NODES = 5_000
_MOST_PREDICATES = 200
# adaptive_filter_stats() cuts texts to this many UTF-16 units, and a text that was cut may be that of several predicates
_CUT_AT = 2_000
# Spark sends a session's confs along with each task, and writes them into its event log with each job and stage
_LONGEST_PRIOR = 32_768
_LARGEST_COUNT = 2**62  # a BIGINT in Spark, with room to add


@dataclass(frozen=True)
class Evidence:
    """What one predicate did: rows it was evaluated on, rows of these it was true for, and the nanoseconds that took."""

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
        """The same, an age older."""
        return Evidence(self.monitored // _HALVED, self.passed // _HALVED, self.nanos // _HALVED)


Predicates = Mapping[str, Evidence]

# A dynamic filter is known by the share of rows that it kept, which counts as so many rows; Spark looks again once they are few
_ROWS_OF_JOIN = 1_000


@dataclass(frozen=True)
class NodeMemory:
    """A node's evidence by the SQL text of its predicates, and for how many runs the node has not been seen."""

    predicates: Predicates = field(default_factory=dict)
    age: int = 0

    def __post_init__(self) -> None:
        if type(self.age) is not int or self.age < 0:
            raise ValueError(f"{self.age!r} is not a number of runs")


Nodes = Mapping[str, NodeMemory]


def evidence(filters: Iterable[Mapping[str, Any]]) -> dict[str, Evidence]:
    """What the filters of a statement learned, from their entries in dbt's response; empty where no row was monitored."""
    seen: dict[str, Evidence] = {}
    for conjunct in (each for learned in filters for each in learned["conjuncts"]):
        monitored, predicate = conjunct["rows_monitored"], conjunct["predicate"]
        if monitored and not _is_cut(predicate):
            passed, nanos = (round(conjunct[share] * monitored) for share in ("selectivity", "cost_ns"))
            seen = added(seen, {predicate: Evidence(monitored, passed, nanos)})
    return seen


def evidence_of_joins(dynamic: Iterable[Mapping[str, Any]]) -> dict[str, Evidence]:
    """What the dynamic filters of a statement achieved, from their entries in dbt's response.

    A filter that Spark left out because of what is known of it has no evidence, and what is known counts half from then on.
    """
    seen: dict[str, Evidence] = {}
    for each in dynamic:
        if each["signature"] is not None and each["kept"] is not None:
            seen[each["signature"]] = Evidence(_ROWS_OF_JOIN, round(each["kept"] * _ROWS_OF_JOIN), 0)
        elif each["signature"] is not None and each["rows_read"] is None:
            seen[each["signature"]] = Evidence(0, 0, 0)
    return seen


def added(first: Predicates, second: Predicates) -> dict[str, Evidence]:
    """The evidence of both, added up where they know the same predicate."""
    total = dict(first)
    for predicate, more in second.items():
        total[predicate] = total[predicate] + more if predicate in total else more
    return total


def grown_older(nodes: Nodes) -> dict[str, NodeMemory]:
    """The nodes one run later, without those that have not been seen for too long."""
    return {
        unique_id: NodeMemory(node.predicates, node.age + 1)
        for unique_id, node in nodes.items()
        if node.age < _LONGEST_ABSENCE
    }


def merged(
    nodes: Nodes, learned: Mapping[str, Predicates], halved: Collection[str] = ()
) -> dict[str, NodeMemory]:
    """`nodes` with what was `learned`, by node.

    What is known of a node counts half once new evidence joins it, save for those whose turn in this run has been
    (`halved`). A node that was seen but monitored no row keeps what it has.
    """
    total = dict(nodes)
    for unique_id, fresh in learned.items():
        known = nodes[unique_id].predicates if unique_id in nodes else {}
        if fresh and unique_id not in halved:
            known = _halved(known)
        total_evidence = added(known, fresh)
        predicates = {
            sql: seen for sql, seen in _most_monitored(total_evidence)[:_MOST_PREDICATES] if seen.monitored
        }
        if predicates:
            total[unique_id] = NodeMemory(predicates)
    return dict(sorted(total.items(), key=lambda item: item[1].age)[:_MOST_NODES])


def prior(predicates: Predicates) -> str | None:
    """What Spark is given before a node runs: `{"version":1,"predicates":{"<sql>":[monitored,passed,nanos]}}`.

    The best known predicates that fit; None where there are none. ASCII, and `$` before `{` is written as JSON's escape,
    since Spark would replace `${name}` in a SET.
    """
    entries: list[str] = []
    room = _LONGEST_PRIOR
    for predicate, seen in _most_monitored(predicates):
        entry = f"{json.dumps(predicate)}:[{seen.monitored},{seen.passed},{seen.nanos}]"
        entry = entry.replace("${", "\\u0024{")
        room -= len(entry) + 1
        if room < 0:
            break
        entries.append(entry)
    return f'{{"version":{_VERSION},"predicates":{{{",".join(entries)}}}}}' if entries else None


def as_text(nodes: Nodes) -> str:
    """The file's content: ASCII, nodes and predicates in alphabetical order."""
    content = {"version": _VERSION, "nodes": {unique_id: asdict(node) for unique_id, node in nodes.items()}}
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


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


def _node(entry: Any) -> NodeMemory:
    return NodeMemory(
        {predicate: Evidence(**counts) for predicate, counts in entry["predicates"].items()}, entry["age"]
    )


def _halved(predicates: Predicates) -> dict[str, Evidence]:
    halves = {predicate: seen.halved() for predicate, seen in predicates.items()}
    return {predicate: half for predicate, half in halves.items() if half.monitored}


def _most_monitored(predicates: Predicates) -> list[tuple[str, Evidence]]:
    return sorted(predicates.items(), key=lambda item: -item[1].monitored)


def _is_cut(predicate: str) -> bool:
    return len(predicate.encode("utf-16-le", "surrogatepass")) // 2 >= _CUT_AT
