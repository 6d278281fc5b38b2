"""A list of every node's filters and joins with their evidence, as a table for a terminal or as JSON. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.learned.evidence import Evidence, NodeMemory, Nodes
from dbt.adapters.adaptive_spark.response.numbers import counted
from dbt.adapters.adaptive_spark.response.predicate_text import without_made_up

_WIDEST = 100


def as_table(nodes: Nodes) -> str:
    """A paragraph a node, its predicates in the order in which they cost least, then what its joins' filters kept."""
    if not nodes:
        return "Nothing has been learned yet: run a model with two conditions in a filter, or with a join to a table that is filtered."
    return "\n".join(line for name in sorted(nodes) for line in _lines(name, nodes[name]))


def as_json(nodes: Nodes) -> str:
    """By node: `predicates`, in the order in which they cost least, and `joins`."""
    told = {
        name: {
            "predicates": [
                {
                    "shape": shape,
                    "selectivity": _share(seen),
                    "cost_ns": _cost(seen),
                    "rows_monitored": seen.monitored,
                }
                for shape, seen in _ranked(nodes[name])
            ],
            "joins": [
                {"signature": signature, "kept": join.kept / 1000, "left_out": join.left_out}
                for signature, join in nodes[name].joins.items()
            ],
        }
        for name in sorted(nodes)
    }
    return json.dumps(told, indent=2)


def _lines(name: str, node: NodeMemory) -> Iterator[str]:
    yield name
    if node.predicates:
        yield "  passes  ns/row        rows  predicate"
    for shape, seen in _ranked(node):
        yield f"  {_share(seen):6.1%} {_cost(seen):7.0f} {seen.monitored:11,}  {_cut(without_made_up(shape))}"
    for signature, join in node.joins.items():
        without = f", left out of {counted(join.left_out, 'run')} since" if join.left_out else ""
        yield f"  {join.kept / 1000:6.1%} of rows kept by a join{without}: {_cut(signature)}"


def _ranked(node: NodeMemory) -> list[tuple[str, Evidence]]:
    return sorted(node.predicates.items(), key=lambda item: (_rank(item[1]), item[0]))


def _rank(seen: Evidence) -> float:
    """Nanoseconds per dropped row, cost / (1 − selectivity) (arXiv 1905.01349, §2.1), by which Spark starts a filter.

    As there, half a row is added on either side (`OrderPolicy.share`): few rows never say that all pass, or none. What
    met no row comes last.
    """
    if not seen.monitored:
        return math.inf
    return _cost(seen) * (seen.monitored + 1) / (seen.monitored - seen.passed + 0.5)


def _share(seen: Evidence) -> float:
    return seen.passed / seen.monitored if seen.monitored else 1.0


def _cost(seen: Evidence) -> float:
    return seen.nanos / seen.monitored if seen.monitored else 0.0


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


_FORMATS = {"table": as_table, "json": as_json}


def in_format(name: Any) -> Callable[[Nodes], str]:
    """Says what nodes are known to do in the format of this name. Raises DbtValidationError where there is none."""
    if not isinstance(name, str) or name not in _FORMATS:
        raise DbtValidationError(f"adaptive_report: format: {name!r} is not one of {', '.join(_FORMATS)}.")
    return _FORMATS[name]
