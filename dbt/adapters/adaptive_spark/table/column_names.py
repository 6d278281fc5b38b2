"""Columns as users name them in configs: plain, with a field after a dot, or in backquotes already. Pure."""

from __future__ import annotations

import re
from typing import Any

from dbt.adapters.adaptive_spark.conf.quoting import dotted, unquoted

_PART = r"(?:`(?:[^`]|``)+`|[^`.,;()]+)"
NAME = re.compile(rf"{_PART}(?:\.{_PART})*")
_PARTS = re.compile(_PART)


def column_name(name: Any) -> str:
    """A name as SQL, in which nothing but a name can stand.

    Raises ValueError with what is wrong: the end of a sentence that begins with the name.
    """
    if not isinstance(name, str):
        raise ValueError("it is not a text")
    text = name.strip()
    if NAME.fullmatch(text) is None:
        raise ValueError("it is empty" if not text else "it has one of .,;()` where no name has it")
    return dotted(*_parts(text))


def bare_name(name: str) -> str:
    """A name in lower case and without backquotes, to compare it with others: Spark's names have no case."""
    return ".".join(_parts(name)).lower()


def _parts(name: str) -> list[str]:
    return [unquoted(part.strip()) for part in _PARTS.findall(name)]
