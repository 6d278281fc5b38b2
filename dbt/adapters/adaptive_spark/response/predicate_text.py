"""Texts of predicates, as `adaptive_filter_stats()` has them: without the name of the table that they share,
and by their AND and OR. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# a dynamic filter's test of a row, and that of Spark's own bloom filter
_KEYS_OF_A_JOIN = ("in_dynamic_keys(", "might_contain(")
_NAME = r"(?:\w+|`(?:[^`]|``)*`)"
_OWN_CATALOG = re.compile(r"(?<![\w.])spark_catalog\.(?=\w)")
# text in quotes stays; names that Spark gives to subqueries, and dbt to ephemeral models,
# say nothing to who wrote the SQL
_MADE_UP = re.compile(
    r"('(?:[^'\\]|\\.)*')|(?<![\w.])(?:__dbt__cte__(?=\w)|__auto_generated_subquery_name(?:\.|: ))"
)
# As deep as a page can draw it
_DEEPEST = 8
_NULL_CHECK = re.compile(rf"\(?{_NAME}(?:\.{_NAME})* IS NOT NULL\)?")


def added_by_spark(predicate: str) -> str | None:
    """The kind of a predicate that Spark adds by itself, `null check` or `keys of a join`; None for the user's own.

    A column's `IS NOT NULL` may be the user's as well: nothing tells those that Spark adds, for joins and
    for other predicates, from them.
    """
    if predicate.startswith(_KEYS_OF_A_JOIN):
        return "keys of a join"
    return "null check" if _NULL_CHECK.fullmatch(predicate) is not None else None


# what stands in quotes stays; of a name such as catalog.schema.table.column, all but the last part
_QUOTED_OR_QUALIFIER = re.compile(r"('(?:[^'\\]|\\.)*'|`[^`]*`)|\b((?:[A-Za-z_]\w*\.)+)(?=[A-Za-z_`])")


def without_table(predicates: Sequence[str]) -> tuple[str | None, list[str]]:
    """The table whose columns all the predicates of a filter use, and the predicates
    without its name and outer brackets.

    Where it is several tables, their names stay, and there is none.
    """
    tables = {
        match[2][:-1]
        for predicate in predicates
        for match in _QUOTED_OR_QUALIFIER.finditer(predicate)
        if match[2] is not None
    }
    if len(tables) == 1:
        predicates = [_QUOTED_OR_QUALIFIER.sub(lambda match: match[1] or "", each) for each in predicates]
    return (
        tables.pop() if len(tables) == 1 else None,
        [_bare(each) for each in predicates],
    )


def without_catalog(tables: str) -> str:
    """Names of tables without that of Spark's own catalog, which says nothing to whoever has no other."""
    return _OWN_CATALOG.sub("", tables)


def without_made_up(text: str) -> str:
    """A predicate, its shape or a table's name without names that nobody wrote: that of a subquery without an alias
    goes, and of that of an ephemeral model's CTE the model's own stays.
    """
    return _MADE_UP.sub(lambda match: match[1] or "", text)


def nested(predicate: str, depth: int = 0) -> list[tuple[int, str]]:
    """A predicate line by line, each with how deep it stands: an AND or an OR, and one
    deeper the predicates that it joins.

    One without AND and OR, or nested too deeply, is a single line.
    """
    for operator in ("OR", "AND"):  # AND binds its sides more tightly
        sides = _sides(predicate, operator)
        if len(sides) > 1 and depth < _DEEPEST:
            return [(depth, operator), *(line for side in sides for line in nested(side, depth + 1))]
    return [(depth, _bare(predicate))]


def _sides(text: str, operator: str) -> list[str]:
    """The operands of an AND or an OR: `a`, `b` and `c` of `((a AND b) AND c)`."""
    found: list[str] = []
    waiting = [text]
    while waiting:
        parts = _parts(_bare(waiting.pop()), operator)
        if len(parts) > 1:
            waiting += reversed(parts)
        else:
            found += parts
    return found


def _bare(text: str) -> str:
    return text[1:-1] if _is_bracketed(text) else text


def _parts(text: str, operator: str) -> list[str]:
    """The sides of the ANDs or ORs that stand outside of brackets and quotes; all of a
    text whose brackets do not match.
    """
    plain = _plain(text)
    depth, start = 0, 0
    parts: list[str] = []
    for found in re.finditer(rf"[()]|(?<!\S){operator}(?!\S)", plain):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth < 0:
            return [text]
        if depth == 0 and found[0] == operator:
            parts.append(text[start : found.start()].strip())
            start = found.end()
    return [*parts, text[start:].strip()] if depth == 0 else [text]


def _plain(text: str) -> str:
    """The text with `_` for each character of a quoted part or a qualifier.

    Quoted parts may hold brackets and words of their own. Positions are those of the text.
    """
    return _QUOTED_OR_QUALIFIER.sub(lambda match: "_" * len(match[0]), text)


def _is_bracketed(text: str) -> bool:
    """True if one pair of brackets holds the whole text."""
    plain = _plain(text)
    depth = 0
    for place, letter in enumerate(plain):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return letter == ")" and place == len(plain) - 1
    return False
