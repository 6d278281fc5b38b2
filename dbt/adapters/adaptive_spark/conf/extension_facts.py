"""What the extension exports of itself besides its conf keys: its table functions' columns, and its thresholds."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from dbt.include.adaptive_spark import PACKAGE_PATH


def columns(function: str, *of: str) -> tuple[str, ...]:
    """The names of a table function's columns in their order: all, or those that belong to a `query`, a `filter`, ….

    Raises KeyError where there is no such function with columns of its own.
    """
    return tuple(each["name"] for each in _exported("columns")[function] if not of or each["of"] in of)


def threshold(name: str) -> float:
    """A number by which the extension decides. Raises KeyError where it exports none of that name."""
    number: float = _exported("thresholds")[name]
    return number


@lru_cache(maxsize=2)
def _exported(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((Path(PACKAGE_PATH) / f"{name}.json").read_text(encoding="utf-8"))
    return content
