"""Texts of predicates, as `adaptive_filter_stats()` has them, without the name of the table that they share. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

# a dynamic filter's test of a row, and that of Spark's own bloom filter
_KEYS_OF_A_JOIN = ("in_dynamic_keys(", "might_contain(")
_NAME = r"(?:\w+|`(?:[^`]|``)*`)"
_NULL_CHECK = re.compile(rf"\(?{_NAME}(?:\.{_NAME})* IS NOT NULL\)?")


def added_by_spark(predicate: str) -> str | None:
    """The kind of a predicate that Spark adds by itself, `null check` or `keys of a join`; None for the user's own.

    A column's `IS NOT NULL` may be the user's as well: nothing tells those that Spark adds, for joins and for other predicates, from them.
    """
    if predicate.startswith(_KEYS_OF_A_JOIN):
        return "keys of a join"
    return "null check" if _NULL_CHECK.fullmatch(predicate) is not None else None


# what stands in quotes stays; of a name such as catalog.schema.table.column, all but the last part
_QUOTED_OR_QUALIFIER = re.compile(r"('(?:[^'\\]|\\.)*'|`[^`]*`)|\b((?:[A-Za-z_]\w*\.)+)(?=[A-Za-z_`])")


def without_table(predicates: Sequence[str]) -> tuple[str | None, list[str]]:
    """The table whose columns all the predicates of a filter use, and the predicates without its name and outer brackets.

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
        [each[1:-1] if _is_bracketed(each) else each for each in predicates],
    )


def _is_bracketed(text: str) -> bool:
    """Whether one pair of brackets holds the whole text."""
    # quoted text may hold brackets of its own
    plain = _QUOTED_OR_QUALIFIER.sub(lambda match: "_" * len(match[0]), text)
    depth = 0
    for place, letter in enumerate(plain):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return letter == ")" and place == len(plain) - 1
    return False
