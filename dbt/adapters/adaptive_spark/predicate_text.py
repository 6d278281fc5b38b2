"""What can be told from the SQL text of a predicate, as `adaptive_filter_stats()` has it. Pure."""

from __future__ import annotations

import re

# adaptive_filter_stats() cuts texts to this many UTF-16 units, and a text that was cut may be that of several predicates
_CUT_AT = 2_000

# names in backquotes stay; a number is none within a name, such as k1
_CONSTANT = re.compile(
    r"(`[^`]*`)|'(?:[^'\\]|\\.)*'|(?:(?<=[\s(,])-)?(?<![\w.`])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[A-Z]{0,2}\b"
)
_LIST = re.compile(r"\?(?:, \?)+")


def is_cut(predicate: str) -> bool:
    """Whether Spark has left out the end of the text."""
    return len(predicate.encode("utf-16-le", "surrogatepass")) // 2 >= _CUT_AT


def without_constants(predicate: str) -> str:
    """`(day >= DATE '2026-01-01')` as `(day >= DATE ?)`, lists of any length as one constant: the same for each day's run."""
    return _LIST.sub("?", _CONSTANT.sub(lambda match: match[1] or "?", predicate))
