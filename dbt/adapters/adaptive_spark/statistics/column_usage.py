"""The columns of one table that a query filters, those that it joins or groups by, and the query's own
columns that are made of them. Pure.

A filtered column counts where Spark's planner estimates the filter from statistics of the column: `status =
'paid'`, `day >= '2026-01-01'`, `id IN (1, 2)`. Of LIKE, RLIKE, functions and arithmetic it takes all rows to
pass, whatever the statistics are.

The query is parsed by sqlglot; names are compared in lower case, as Spark does. Only the columns of the one table need
to be known: a name without a qualifier that is one of them is that one, since the query would be ambiguous otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlglot import errors, exp, parse
from sqlglot.optimizer.scope import Scope, traverse_scope, walk_in_scope

from dbt.adapters.adaptive_spark.conf.quoting import without_options

DIALECT = "spark"
_NOTHING: frozenset[str] = frozenset()
_COMPARISONS = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
# an expression that Spark's planner replaces by the column within it, where the values keep their order
_TRANSPARENT = (exp.Paren, exp.Cast, exp.TsOrDsToDate, exp.Dot)


class UnreadSqlError(Exception):
    """SQL that could not be parsed; the message is the end of a sentence that says why."""


@dataclass(frozen=True)
class Columns:
    """Origins of a relation's columns, by their names: the columns of the table in question that they are made of.

    `known` is in the relation's order if it is `whole`; otherwise the relation has others too.
    """

    known: Mapping[str, frozenset[str]]
    whole: bool = False


UNKNOWN = Columns({})

ColumnsOf = Callable[[tuple[str, ...]], Columns]


@dataclass(frozen=True)
class Use:
    """Columns of the table that a condition compares with values, and those that stand in equalities of two columns or
    in groups; what the query returns has `output`.
    """

    filtered: frozenset[str]
    keyed: frozenset[str]
    output: Columns


def parsed(sql: str) -> exp.Query:
    """A query with its names in lower case. Raises UnreadSqlError."""
    try:
        trees = parse(without_options(sql), dialect=DIALECT)
    except errors.SqlglotError as error:
        first: dict[str, Any] = next(iter(getattr(error, "errors", [])), {})
        where = f" in line {first['line']}" if first.get("line") else ""
        raise UnreadSqlError(f"its SQL is not understood{where}") from error
    except RecursionError as error:
        raise UnreadSqlError("its SQL is nested too deeply") from error
    if len(trees) > 1:
        raise UnreadSqlError("it is more than one statement")
    tree = trees[0] if trees else None
    if not isinstance(tree, exp.Query):
        raise UnreadSqlError("it is not a SELECT")
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.lower())
    return tree


def use(query: exp.Query, columns_of: ColumnsOf) -> Use:
    """The columns of the table in question that `query` uses.

    `columns_of` gives, for each table that the query reads, by the parts of its name, the origins of its columns in
    that table. Raises UnreadSqlError.
    """
    reading = _Reading(columns_of)
    try:
        outputs = [reading.scope(scope) for scope in traverse_scope(query.unnest())]
    except errors.SqlglotError as error:
        raise UnreadSqlError("its SQL is not understood") from error
    return Use(frozenset(reading.filtered), frozenset(reading.keyed), outputs[-1] if outputs else UNKNOWN)


class _Reading:
    """One query, its scopes from the inside out."""

    def __init__(self, columns_of: ColumnsOf) -> None:
        self._columns_of = columns_of
        self._outputs: dict[int, Columns] = {}
        self.filtered: set[str] = set()
        self.keyed: set[str] = set()

    def scope(self, scope: Scope) -> Columns:
        expression = scope.expression
        if isinstance(expression, exp.SetOperation):
            output = self._set_operation(expression)
        elif isinstance(expression, exp.Select):
            output = self._select(scope, expression)
        elif isinstance(expression, exp.Table):
            raise UnreadSqlError("a join in parentheses has a name of its own")
        else:
            output = UNKNOWN
        output = _renamed(output, scope.outer_columns)
        self._outputs[id(expression)] = output
        return output

    def _set_operation(self, expression: exp.SetOperation) -> Columns:
        left, right = (
            self._outputs.get(id(each.unnest()), UNKNOWN) for each in (expression.this, expression.expression)
        )
        others = right.known
        if left.whole and right.whole and not expression.args.get("by_name"):  # by position
            others = dict(zip(left.known, right.known.values(), strict=False))
        known = {
            name: left.known.get(name, _NOTHING) | others.get(name, _NOTHING)
            for name in {**left.known, **others}
        }
        keeps_all = isinstance(expression, exp.Union) and not expression.args.get("distinct")
        if not keeps_all:  # it is a semi join, an anti join or a group
            self.keyed.update(*known.values())
        return Columns(known, left.whole and right.whole)

    def _select(self, scope: Scope, select: exp.Select) -> Columns:
        output = Columns(*self._projected(scope, select))
        for clause in ("where", "having", "qualify"):
            self._condition(scope, select.args.get(clause), output)
        for join in (each for each in walk_in_scope(select) if isinstance(each, exp.Join)):
            self._condition(scope, join.args.get("on"), output)
            self.keyed.update(*(self._everywhere(scope, name.name) for name in join.args.get("using") or ()))
            if join.method == "NATURAL":
                self.keyed.update(*self._shared(scope))
        group = select.args.get("group")
        if group is not None:
            self._group(scope, select, group, output)
        distinct = select.args.get("distinct")
        if distinct is not None:
            on = distinct.args.get("on")
            self.keyed.update(*(output.known.values() if on is None else self._of(scope, on, output)))
        return output

    def _condition(self, scope: Scope, condition: exp.Expression | None, output: Columns) -> None:
        if condition is None:
            return
        keys: set[int] = set()
        for node in walk_in_scope(condition):
            query = node.args.get("query") if isinstance(node, exp.In) else None
            if query is not None:  # a semi join on what it returns
                self.keyed.update(*self._outputs.get(id(query.unnest()), UNKNOWN).known.values())
                keys.add(id(node.this))
            elif isinstance(node, (exp.EQ, exp.NullSafeEQ)) and all(
                isinstance(side, exp.Column) for side in (node.left, node.right)
            ):
                keys.update((id(node.left), id(node.right)))
        estimated = {id(column) for column in _estimated(condition)}
        for column in _columns(condition):
            if id(column) in keys:
                self.keyed.update(self._resolved(scope, column, output))
            elif id(column) in estimated:
                self.filtered.update(self._resolved(scope, column, output))

    def _group(self, scope: Scope, select: exp.Select, group: exp.Group, output: Columns) -> None:
        self.keyed.update(*self._of(scope, group, output))
        ordinals = [
            int(each.this) for each in group.expressions if isinstance(each, exp.Literal) and each.is_int
        ]
        chosen = [select.expressions[at - 1] for at in ordinals if 0 < at <= len(select.expressions)]
        if group.args.get("all"):
            chosen = list(select.expressions)
        self.keyed.update(*(self._origin(scope, each) for each in chosen))

    def _projected(self, scope: Scope, select: exp.Select) -> tuple[dict[str, frozenset[str]], bool]:
        known: dict[str, frozenset[str]] = {}
        whole = True
        for projection in select.expressions:
            if projection.is_star:
                star, starred_whole = self._starred(scope, projection)
                known |= star
                whole = whole and starred_whole
            elif isinstance(projection, exp.Aliases):
                known |= {name.name: _NOTHING for name in projection.aliases}
            else:
                known[projection.alias_or_name] = self._origin(scope, projection)
        return known, whole

    def _starred(self, scope: Scope, projection: exp.Expression) -> tuple[dict[str, frozenset[str]], bool]:
        """The columns that `*` or `t.*` stands for, without those that EXCEPT takes away; and True if these are all."""
        star = projection.this if isinstance(projection, exp.Column) else projection
        table = projection.table if isinstance(projection, exp.Column) else ""
        names = [table] if table else scope.selected_sources
        sources = [self._source(scope, name) for name in names]
        gone = {each.name for each in star.args.get("except_") or star.args.get("except") or ()}
        known = {
            name: origin
            for source in sources
            if source is not None
            for name, origin in source.known.items()
            if name not in gone
        }
        # the second of two columns with one name would be lost, and with it the order
        count = sum(len(source.known) for source in sources if source is not None)
        is_whole = all(source is not None and source.whole for source in sources)
        return known, is_whole and len(known) == count - len(gone)

    def _origin(self, scope: Scope, expression: exp.Expression) -> frozenset[str]:
        """The table's columns that a value is made of."""
        return frozenset().union(*self._of(scope, expression, UNKNOWN))

    def _of(self, scope: Scope, expression: exp.Expression, output: Columns) -> Iterator[frozenset[str]]:
        """The origins of each column in an expression."""
        return (self._resolved(scope, column, output) for column in _columns(expression))

    def _resolved(self, scope: Scope, column: exp.Column, output: Columns) -> frozenset[str]:
        """The origins of a name: a source's column, one of this SELECT or of the query outside, or a field of one."""
        parts = [part.name for part in column.parts]
        at: Scope | None = scope
        while at is not None:
            for table, name in pairwise(parts):  # `t.c`, `s.t.c`, `t.c.field`
                source = self._source(at, table)
                if source is not None:
                    return source.known.get(name, _NOTHING)
            found = self._everywhere(at, parts[0])  # `c`, `c.field`
            if found:
                return found
            at = at.parent
        return output.known.get(parts[-1], _NOTHING)

    def _everywhere(self, scope: Scope, name: str) -> frozenset[str]:
        return frozenset().union(*(source.known.get(name, _NOTHING) for source in self._sources(scope)))

    def _shared(self, scope: Scope) -> Iterator[frozenset[str]]:
        sources = list(self._sources(scope))
        names = [name for source in sources for name in source.known]
        return (self._everywhere(scope, name) for name in names if names.count(name) > 1)

    def _sources(self, scope: Scope) -> Iterator[Columns]:
        return (source for name, _ in scope.references if (source := self._source(scope, name)) is not None)

    def _source(self, scope: Scope, name: str) -> Columns | None:
        """The source of that name, if the SELECT has one."""
        reference = dict(scope.references).get(name)
        if reference is None:
            return None  # a WITH has more names than the SELECT reads
        source = scope.sources.get(name)
        if isinstance(source, Scope):
            output = self._outputs.get(id(source.expression), UNKNOWN)
            # `FROM a_cte AS t(a, b)`: what a subquery's alias renames is its output already
            return (
                _renamed(output, reference.alias_column_names) if isinstance(reference, exp.Table) else output
            )
        if not isinstance(source, exp.Table):
            return UNKNOWN
        columns = self._columns_of(tuple(part.name for part in source.parts))
        return (
            Columns(columns.known)
            if source.args.get("pivots")
            else _renamed(columns, source.alias_column_names)
        )


def _columns(expression: exp.Expression) -> Iterator[exp.Column]:
    """Those in an expression, save in aggregates and windows, whose values are another thing."""
    inside = walk_in_scope(expression, prune=lambda node: isinstance(node, (exp.AggFunc, exp.Window)))
    return (node for node in inside if isinstance(node, exp.Column))


def _estimated(condition: exp.Expression) -> Iterator[exp.Column]:
    """Those of a condition of whose values the planner estimates how many pass."""
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (exp.Where, exp.Having, exp.Qualify, exp.Paren, exp.Not)):
            waiting.append(node.this)
        elif isinstance(node, exp.Connector):
            waiting += (node.this, node.expression)
        elif isinstance(node, _COMPARISONS):
            yield from (*_bare(node.this), *_bare(node.expression))
        elif isinstance(node, (exp.Between, exp.In, exp.Is)) or _is_equality(node):
            yield from _bare(node.this)


def _bare(side: exp.Expression) -> Iterator[exp.Column]:
    """The column that a side of a comparison is, if it is one."""
    while isinstance(side, _TRANSPARENT):
        side = side.this
    if isinstance(side, exp.Column):
        yield side


def _is_equality(like: exp.Expression) -> bool:
    """True for a LIKE with nothing in its pattern that stands for another text: to the planner, an equality."""
    pattern = like.expression if isinstance(like, exp.Like) else None
    return isinstance(pattern, exp.Literal) and not set(pattern.name) & set("%_\\")


def _renamed(columns: Columns, names: Sequence[str]) -> Columns:
    """Under the names that an alias gives, `AS t(a, b)`; of a relation that is not wholly known nothing then is."""
    if not names:
        return columns
    return (
        Columns(dict(zip(names, columns.known.values(), strict=False)), whole=True)
        if columns.whole
        else UNKNOWN
    )
