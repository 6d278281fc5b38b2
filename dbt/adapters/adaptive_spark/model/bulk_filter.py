"""Nested lists of values to keep or drop, as one SELECT whose conditions stand in the order
in which they cost least. Pure.

A tree's leaves include or exclude the values of a list in a column: a relation, a file, or values written down. A row
is kept or it is not: a null is in no list, so no include keeps it and no exclude drops it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from dbt.adapters.base.relation import BaseRelation
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.catalog.table_facts import TableFacts
from dbt.adapters.adaptive_spark.conf.conf_keys import nearest
from dbt.adapters.adaptive_spark.conf.extension_facts import threshold
from dbt.adapters.adaptive_spark.conf.quoting import (
    file_relation,
    holds_variable,
    identifier,
    literal,
    without_options,
)

_OUTER = "bulk_input"
_INNER = "bulk_values"
_FORMATS = ("csv", "parquet", "orc", "json", "text", "avro")
_NODES = ("and", "or", "not", "column")
_LEAF = ("column", "include", "exclude")
_LIST = ("relation", "file", "format", "column", "header")
_VALUES = (str, bool, int, float, Decimal, date)
# Costs of nested filters without statistics, as the extension orders them.
_LEAF_COST = threshold("nested_leaf_cost")
_OR_FACTOR = threshold("nested_or_factor")


@dataclass(frozen=True)
class Leaf:
    """Rows whose `column` is among the values, or is not.

    `source` is the list as SQL (a relation), `value` its column; or `values` are literals.

    `name` is the relation's, by which its statistics are known.
    """

    column: str
    keeps: bool
    source: str = ""
    value: str = ""
    values: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Node:
    """`operator` is `and` or `or`; at least one child."""

    operator: str
    children: tuple[Tree, ...]


Tree = Leaf | Node

Selectivity = Callable[[Leaf], float | None]


def bulk_filter_sql(relation: str, tree: Tree) -> str:
    """The rows of a relation that the tree keeps, each as often as it is there."""
    return f"select * from {relation} as {_OUTER} where {_condition(tree)}"


def filtered_relation(given: Any) -> str:
    """The relation that is filtered, as SQL. Raises DbtValidationError where it is none."""
    return _relation(given, "bulk_filter", "ref('…') or source('…', '…')")


def without_facts(relation: Any, expression: Any) -> str:
    """The query without statistics, as far as a tree can be read before anything runs; empty where it can't."""
    try:
        return bulk_filter_sql(filtered_relation(relation), ordered(parsed(expression)))
    except DbtValidationError:
        return ""


def parsed(expression: Any) -> Tree:
    """A tree from dictionaries: `{'and': […]}`, `{'or': […]}`, `{'not': …}`, `{'column': c,
    'include': list}` or `exclude`.

    A list is a relation, whose column of the same name holds the values; `{'relation': r, 'column': v}`;
    `{'file': path, 'format': 'csv', 'column': v, 'header': true}`; or values. NOT is worked in, down to the leaves.

    Raises DbtValidationError with the path to the node that is wrong.
    """
    return _parsed(expression, "bulk_filter", negated=False)


def ordered(tree: Tree, selectivity: Selectivity | None = None) -> Tree:
    """With the children of each node in the order of their cost, as they are written where it is the same.

    `selectivity` gives of a leaf the share of rows that it keeps, from statistics; where it does for every leaf,
    children stand by what they keep: least first below AND, most first below OR. Otherwise the cost is that of nested
    filters without statistics: a leaf 0.1, AND the product, OR ten times the sum.
    """
    if selectivity is None or any(selectivity(leaf) is None for leaf in leaves(tree)):
        return _sorted(tree, _cost, worst_first=False)
    return _sorted(tree, lambda each: _kept(each, selectivity), worst_first=True)


def leaves(tree: Tree) -> list[Leaf]:
    """All of a tree's, from left to right."""
    return [tree] if isinstance(tree, Leaf) else [leaf for child in tree.children for leaf in leaves(child)]


def check_files(tree: Tree, release: Callable[[], str]) -> None:
    """Raises DbtValidationError for a file that this release of Spark, such as 3.5.9, reads in no query.

    `release` is asked only where it matters.
    """
    for leaf in leaves(tree):
        if without_options(leaf.source) != leaf.source and (older := release()).startswith("3."):
            raise DbtValidationError(
                f"bulk_filter: {without_options(leaf.source)}: Spark {older} takes no column names from the first line "
                "of a CSV file in a query, as Spark 4 does. Write the list as Parquet, make it a seed, or take the "
                "line out and set 'header': false."
            )


def selectivity_of(table: TableFacts | None, lists: Mapping[str, TableFacts]) -> Selectivity:
    """The share of a table's rows that a leaf keeps, from distinct values; `lists` by the
    names of the leaves' relations.
    """
    distinct = {each.name.lower(): each.distinct for each in table.columns} if table is not None else {}

    def selectivity(leaf: Leaf) -> float | None:
        all_ = distinct.get(leaf.column.lower())
        list_ = lists.get(leaf.name) if leaf.name else None
        listed = len(leaf.values) or (list_.rows if list_ is not None and list_.is_analyzed else None)
        if not all_ or listed is None:
            return None
        found = min(1.0, listed / all_)
        return found if leaf.keeps else 1 - found

    return selectivity


def _sorted(tree: Tree, key: Callable[[Tree], float], worst_first: bool) -> Tree:
    if isinstance(tree, Leaf):
        return tree
    children = [_sorted(child, key, worst_first) for child in tree.children]
    children.sort(key=key, reverse=worst_first and tree.operator == "or")
    return replace(tree, children=tuple(children))


def _cost(tree: Tree) -> float:
    if isinstance(tree, Leaf):
        return _LEAF_COST
    costs = [_cost(child) for child in tree.children]
    return math.prod(costs) if tree.operator == "and" else _OR_FACTOR * sum(costs)


def _kept(tree: Tree, selectivity: Selectivity) -> float:
    """The share of rows that a tree keeps, its leaves taken as independent."""
    if isinstance(tree, Leaf):
        kept = selectivity(tree)
        assert kept is not None
        return kept
    shares = [_kept(child, selectivity) for child in tree.children]
    return math.prod(shares) if tree.operator == "and" else 1 - math.prod(1 - each for each in shares)


def _condition(tree: Tree) -> str:
    if isinstance(tree, Node):
        return "(" + f" {tree.operator} ".join(map(_condition, tree.children)) + ")"
    column = f"{_OUTER}.{identifier(tree.column)}"
    if tree.values:
        listed = f"{column} in ({', '.join(tree.values)})"
        return listed if tree.keeps else f"not coalesce({listed}, false)"
    matching = f"select 1 from {tree.source} as {_INNER} where {_INNER}.{identifier(tree.value)} = {column}"
    return f"{'' if tree.keeps else 'not '}exists ({matching})"


def _parsed(expression: Any, path: str, negated: bool) -> Tree:
    if not isinstance(expression, dict):
        raise _fault(
            path,
            f"{expression!r} is not a node. Write {{'and': […]}}, {{'or': […]}}, {{'not': …}} or {{'column': …}}",
        )
    kinds = [each for each in _NODES if each in expression]
    if len(kinds) != 1:
        raise _fault(path, f"a node has one of {', '.join(_NODES)}; this has {' and '.join(kinds) or 'none'}")
    kind = kinds[0]
    if kind == "column":
        return _leaf(expression, path, negated)
    if len(expression) > 1:
        raise _fault(path, f"{kind!r} stands alone, beside {_others(expression, kind)}")
    if kind == "not":
        return _parsed(expression[kind], f"{path}.not", not negated)
    children = expression[kind]
    if not isinstance(children, (list, tuple)) or not children:
        raise _fault(f"{path}.{kind}", f"{children!r} is not a list of nodes")
    parts = tuple(_parsed(each, f"{path}.{kind}[{at}]", negated) for at, each in enumerate(children))
    if len(parts) == 1:
        return parts[0]
    operator = kind if not negated else {"and": "or", "or": "and"}[kind]
    return Node(operator, _without_inner_or(parts) if operator == "or" else parts)


def _without_inner_or(parts: tuple[Tree, ...]) -> tuple[Tree, ...]:
    """The operands of an OR with those of ORs among them, as Spark sees them: the cost would count its factor twice."""
    children = (
        part.children if isinstance(part, Node) and part.operator == "or" else (part,) for part in parts
    )
    return tuple(inner for each in children for inner in each)


def _leaf(expression: Mapping[str, Any], path: str, negated: bool) -> Leaf:
    for name in expression:
        if name not in _LEAF:
            raise _fault(path, f"{name!r} is not a part of a leaf. {nearest(name, _LEAF)}")
    given = [each for each in ("include", "exclude") if each in expression]
    if len(given) != 1:
        raise _fault(path, f"a leaf includes or excludes; this does {'both' if given else 'neither'}")
    column = _name(expression["column"], f"{path}.column")
    keeps = (given[0] == "include") != negated
    return _with_list(Leaf(column, keeps), expression[given[0]], f"{path}.{given[0]}")


def _with_list(leaf: Leaf, given: Any, path: str) -> Leaf:
    if isinstance(given, (list, tuple)):
        return replace(leaf, values=_values(given, path))
    if not isinstance(given, dict):  # dbt's relations are mappings too
        return replace(leaf, source=_relation(given, path), value=leaf.column, name=str(given))
    for name in given:
        if name not in _LIST:
            raise _fault(path, f"{name!r} is not a part of a list. {nearest(name, _LIST)}")
    value = _name(given.get("column", leaf.column), f"{path}.column")
    if "relation" in given and "file" not in given:
        relation = given["relation"]
        return replace(leaf, source=_relation(relation, f"{path}.relation"), value=value, name=str(relation))
    if "file" not in given or "relation" in given:
        raise _fault(path, "a list has a relation or a file")
    file, header = given["file"], given.get("header", True)
    if not isinstance(file, str) or not file:
        raise _fault(f"{path}.file", f"{file!r} is not a path")
    if not isinstance(header, bool):
        raise _fault(f"{path}.header", f"{header!r} is neither true nor false")
    format_ = given.get("format", file.rpartition(".")[2])
    if format_ not in _FORMATS:
        raise _fault(f"{path}.format", f"{format_!r} is not one of {', '.join(_FORMATS)}")
    if format_ == "text":
        value = "value"
    elif format_ == "csv" and not header and "column" not in given:
        value = "_c0"
    try:
        return replace(leaf, source=file_relation(format_, file, header), value=value)
    except ValueError as fault:
        raise _fault(f"{path}.file", f"{file!r}: {fault}") from None


def _values(given: Sequence[Any], path: str) -> tuple[str, ...]:
    if not given:
        raise _fault(path, "the list is empty")
    for at, value in enumerate(given):
        if value is None:
            raise _fault(f"{path}[{at}]", "a null is in no list. Leave it out")
        if not isinstance(value, _VALUES):
            raise _fault(
                f"{path}[{at}]",
                f"{value!r} is not a value. A relation or a file stands without the list around it",
            )
    return tuple(map(literal, given))


def _relation(given: Any, path: str, remedy: str = "ref('…'), source('…', '…') or a list of values") -> str:
    if not isinstance(given, BaseRelation):
        raise _fault(path, f"{given!r} is not a relation. Write {remedy}")
    return str(given)


def _name(given: Any, path: str) -> str:
    if not isinstance(given, str) or not given or holds_variable(given):
        raise _fault(path, f"{given!r} is not a column's name")
    return given


def _others(expression: Mapping[str, Any], kind: str) -> str:
    return ", ".join(repr(name) for name in expression if name != kind)


def _fault(path: str, sentence: str) -> DbtValidationError:
    """`sentence` may lack its full stop."""
    return DbtValidationError(f"{path}: {sentence if sentence.endswith(('.', '?')) else f'{sentence}.'}")
