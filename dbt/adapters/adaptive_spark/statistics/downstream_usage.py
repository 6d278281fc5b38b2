"""Which columns of a table the models downstream of it use in filters, join conditions and groups.

Pure: models are given as SQL.

A view or an ephemeral model is a step on the way, since its own readers run its text; whatever is stored ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from sqlglot import exp

from dbt.adapters.adaptive_spark.statistics.column_usage import UNKNOWN, Columns, UnreadSqlError, parsed, use

Name = tuple[str, ...]

# a tree takes a hundred times the memory of its text
_parsed = lru_cache(maxsize=64)(parsed)


@dataclass(frozen=True)
class GraphNode:
    """A node: `relations` are the names under which others read it, `label` how the user knows it.

    `texts` gives its SQL, and more than one where it may run either; `is_inlined` tells whether its readers run that
    SQL. `keys` are columns of its own by which what it returns is compared with what it has stored, as a snapshot does.
    `doubt` gives the reason why its SQL may use more than that, if there is one.
    """

    unique_id: str
    label: str
    relations: tuple[Name, ...]
    texts: Callable[[], Sequence[str]]
    is_inlined: bool
    parents: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    doubt: Callable[[], str] = str


@dataclass(frozen=True)
class Needed:
    """Columns that are used downstream, to filter and to join or group by, in lower case; and models that may use more,
    each with the reason why that is not known.
    """

    filtered: frozenset[str]
    keyed: frozenset[str] = frozenset()
    unread: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> frozenset[str]:
        return self.filtered | self.keyed


class Graph:
    """The project's nodes; each is rendered once."""

    def __init__(self, nodes: Iterable[GraphNode]) -> None:
        self._nodes = {node.unique_id: node for node in nodes}
        self._children: dict[str, list[str]] = {}
        for node in self._nodes.values():
            for parent in node.parents:
                self._children.setdefault(parent, []).append(node.unique_id)
        self._texts: dict[str, Sequence[str] | UnreadSqlError] = {}

    def needed(self, unique_id: str, columns: Iterable[str]) -> Needed:
        """The columns of a table that its descendants need."""
        return self.needed_of_all({unique_id: [*columns]})[unique_id]

    def needed_of_all(self, tables: Mapping[str, Sequence[str]]) -> dict[str, Needed]:
        """The columns that descendants need, for each of many `tables` with their columns.

        Each text is read once, however many of the tables it uses.
        """
        relations = _Relations()
        for unique_id, columns in tables.items():
            origins = {column.lower(): frozenset([_origin(unique_id, column.lower())]) for column in columns}
            for name in self._nodes[unique_id].relations:
                relations.add(name, Columns(origins, whole=True))
        filtered: set[str] = set()
        keyed: set[str] = set()
        unread: dict[str, dict[str, str]] = {unique_id: {} for unique_id in tables}
        for node in self._readers(tables):
            above = self._read_by(node, tables)
            if not above:
                continue
            try:
                outputs = [use(query, partial(relations.named, node)) for query in self._queries_of(node)]
            except UnreadSqlError as error:
                for unique_id in above:
                    unread[unique_id][node.label] = str(error)
                continue
            if doubt := node.doubt():
                for unique_id in above:
                    unread[unique_id][node.label] = doubt
            filtered.update(*(each.filtered for each in outputs))
            keyed.update(*(each.keyed for each in outputs))
            output = outputs[0].output
            keyed.update(*(output.known.get(key.lower(), frozenset()) for key in node.keys))
            if node.is_inlined:
                for name in node.relations:
                    relations.add(name, output)

        def of(unique_id: str, used: Container[str]) -> frozenset[str]:
            names = map(str.lower, tables[unique_id])
            return frozenset(name for name in names if _origin(unique_id, name) in used)

        return {
            unique_id: Needed(of(unique_id, filtered), of(unique_id, keyed), unread[unique_id])
            for unique_id in tables
        }

    def readers(self, unique_id: str) -> frozenset[str]:
        """Those that read a node, also through others that are inlined."""
        return frozenset(node.unique_id for node in self._readers([unique_id])) - {unique_id}

    def _queries_of(self, node: GraphNode) -> list[exp.Query]:
        if node.unique_id not in self._texts:
            try:
                self._texts[node.unique_id] = node.texts()
            except UnreadSqlError as error:
                self._texts[node.unique_id] = error
        texts = self._texts[node.unique_id]
        if isinstance(texts, UnreadSqlError):
            raise texts
        return [_parsed(text) for text in texts]

    def _readers(self, roots: Iterable[str]) -> list[GraphNode]:
        """`roots` and those that read them, also through others that are inlined, each after the ones that it reads."""
        starts = dict.fromkeys(roots)
        found: list[str] = []
        seen: set[str] = set()
        for root in starts:
            if root in seen:
                continue
            seen.add(root)
            # depth first without recursion, for chains as long as a project has them
            stack = [(root, iter(self._children.get(root, ())))]
            while stack:
                at, children = stack[-1]
                child = next((each for each in children if each not in seen), None)
                if child is None:
                    stack.pop()
                    found.append(at)
                    continue
                seen.add(child)
                goes_on = self._nodes[child].is_inlined or child in starts
                stack.append((child, iter(self._children.get(child, ()) if goes_on else ())))
        return [self._nodes[each] for each in reversed(found)]

    def _read_by(self, node: GraphNode, tables: Container[str]) -> set[str]:
        """Those of `tables` that a node reads, also through others that are inlined."""
        found: set[str] = set()
        seen: set[str] = set()
        waiting = list(node.parents)
        while waiting:
            parent = waiting.pop()
            if parent in seen or parent not in self._nodes:
                continue
            seen.add(parent)
            if parent in tables:
                found.add(parent)
            elif self._nodes[parent].is_inlined:
                waiting.extend(self._nodes[parent].parents)
        return found


class _Relations:
    """Columns of relations, found by the last part of the relations' names."""

    def __init__(self) -> None:
        self._by_table: dict[str, dict[Name, Columns]] = {}

    def add(self, name: Name, columns: Columns) -> None:
        self._by_table.setdefault(name[-1], {})[name] = columns

    def named(self, reader: GraphNode, name: Name) -> Columns:
        """A table's columns, as `reader` sees them; what it has stored itself is not another's."""
        known = self._by_table.get(name[-1], {})
        return _named({each: known[each] for each in known if each not in reader.relations}, name)


def _origin(unique_id: str, column: str) -> str:
    return f"{unique_id}\0{column}"


def _named(known: Mapping[Name, Columns], name: Name) -> Columns:
    """A table's columns; of two names one may leave out the catalog, where no table has just that name.

    A bare name is a CTE's, as that of an ephemeral model.
    """
    if name in known:
        return known[name]
    for relation, columns in known.items():
        shorter = min(len(relation), len(name))
        if relation[-shorter:] == name[-shorter:] and (shorter > 1 or len(relation) == len(name)):
            return columns
    return UNKNOWN
