"""Facts that the extension exports about itself: its table functions' columns, its thresholds, …

`make docs` generates them from the jar.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from dbt.include.adaptive_spark import PACKAGE_PATH


def columns(function: str, *of: str) -> tuple[str, ...]:
    """The names of a table function's columns in their order: all, or those that belong to a `query`, a `filter`, ….

    Raises KeyError where there is no such function with columns of its own.
    """
    return tuple(each["name"] for each in exported("columns")[function] if not of or each["of"] in of)


def threshold(name: str) -> float:
    """A number by which the extension decides. Raises KeyError where it exports none of that name."""
    number: float = exported("thresholds")[name]
    return number


@cache
def exported(name: str) -> Any:
    """The content of one generated file, by its name without `.json`."""
    return json.loads((Path(PACKAGE_PATH) / f"{name}.json").read_text(encoding="utf-8"))
