"""The extension's conf keys, as the jar's own list describes them: names, defaults and bounds have their home there."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from dbt.adapters.adaptive_spark.conf.conf_entry import as_text
from dbt.include.adaptive_spark import PACKAGE_PATH

NAMESPACE = "spark.sql.adaptiveFilter."
DYNAMIC_NAMESPACE = "spark.sql.dynamicFilter."
STATISTICS_NAMESPACE = "spark.sql.adaptiveStatistics."
MEMORY_NAMESPACE = "spark.sql.adaptiveMemory."
ENABLED = NAMESPACE + "enabled"
DYNAMIC_ENABLED = DYNAMIC_NAMESPACE + "enabled"
QUERY_TAG = NAMESPACE + "queryTag"
RUN_ID = NAMESPACE + "runId"
SAMPLE = STATISTICS_NAMESPACE + "sample"
ROW_COUNT = STATISTICS_NAMESPACE + "rowCount"
HISTOGRAM_COLUMNS = STATISTICS_NAMESPACE + "histogramColumns"
# Set for a node or a statement, and put back after it.
OF_ADAPTER = (QUERY_TAG, RUN_ID, ROW_COUNT)
_NAMESPACES = tuple(
    each.split(".")[2] for each in (NAMESPACE, DYNAMIC_NAMESPACE, STATISTICS_NAMESPACE, MEMORY_NAMESPACE)
)
_SIZE = re.compile(r"[0-9]+([bkmgtp]|[kmgtp]b)?", re.IGNORECASE)
# What a rate may be instead of a number of rows.
AUTO = "auto"
# Above it, a word is a misspelling of another: spark.sql.adaptive, Spark's own, is at 0.73 from adaptiveFilter.
_ALIKE = 0.85


@dataclass(frozen=True)
class ConfSpec:
    """One key: its type, its default, its inclusive bounds, and what sets it besides `SET`, if anything.

    `model_config` is the dbt config, `hint_option` its name in the hint `ADAPTIVE_FILTER('name=value')`.
    """

    key: str
    type: str
    default: Any
    minimum: float | None
    maximum: float | None
    values: tuple[str, ...]
    model_config: str | None
    hint_option: str | None

    def parsed(self, text: str) -> Any:
        """`text` as a value of this key's type, or unchanged where it is none."""
        try:
            if self.type == "boolean":
                return {"true": True, "false": False}.get(text.strip().lower(), text)
            return {"rate": int, "int": int, "double": float}.get(self.type, str)(text)
        except ValueError:
            return text

    def fault(self, value: Any) -> str | None:
        """What is wrong with `value`, as the end of a sentence that begins with it; None where it is right."""
        if self.type == "boolean":
            return None if isinstance(value, bool) else "is neither true nor false"
        if self.type in ("enum", "string"):
            return (
                None if not self.values or value in self.values else f"is not one of {', '.join(self.values)}"
            )
        if self.type == "size":
            return (
                None if _SIZE.fullmatch(str(value)) else "is not a number of bytes such as 512k, 256m or 1g"
            )
        if self.type == "names":
            return None if _is_names(str(value)) else "is not a JSON list of names"
        if self.type == "int" and (isinstance(value, bool) or not isinstance(value, int)):
            return "is not a whole number"
        if self.type == "rate":
            if isinstance(value, str) and value.lower() == AUTO:
                return None
            if isinstance(value, bool) or not isinstance(value, int):
                return f"is neither a whole number nor {AUTO}"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return "is not a number"
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        return None if low <= value <= high else f"is not in [{_plain(low)}, {_plain(high)}]"


@lru_cache(maxsize=1)
def conf_specs() -> tuple[ConfSpec, ...]:
    """Every key of the extension, in the order of its documentation."""
    listed = json.loads((Path(PACKAGE_PATH) / "configs.json").read_text(encoding="utf-8"))
    return tuple(
        ConfSpec(
            each["key"],
            each["type"],
            each["default"],
            each["min"],
            each["max"],
            tuple(each["values"]),
            each["model_config"],
            each["hint_option"],
        )
        for each in listed
    )


def conf_fault(key: str, text: str, of: str = "") -> str | None:
    """Why `key` cannot be set to `text`, as a sentence; None where it can, or where the key is in none of our namespaces, nor in one that is misspelt.

    `of` is the model, which the sentence names in parentheses.
    """
    place = of and f" ({of})"
    specs = {spec.key: spec for spec in conf_specs()}
    spec = specs.get(key)
    if spec is None:
        if not _is_meant_for_us(key):
            return None
        return f"{key} is not a configuration of adaptive-spark{place}. {nearest(key, [*specs])}"
    fault = spec.fault(spec.parsed(text))
    return (
        None
        if fault is None
        else f"{key}: {text} {fault}{place}. Leave it out for the default, {as_text(spec.default) or 'empty'}."
    )


def _is_meant_for_us(key: str) -> bool:
    """True of a key whose namespace is one of ours, in any case and with a letter wrong: `spark.sql.adaptivefilters.momentum`."""
    name = next((each for each in key.split(".") if each.lower() not in ("spark", "sql")), "")
    return alike(name, _NAMESPACES, _ALIKE) is not None


def conf_spec(key: str) -> ConfSpec:
    """One key of the extension. Raises StopIteration where there is none such."""
    return next(spec for spec in conf_specs() if spec.key == key)


def nearest(name: object, known: Sequence[str]) -> str:
    """The known name that `name` most looks like, whatever its case, as a question; all of them where none does."""
    match = alike(str(name), known, 0.6)
    return f"Did you mean {match}?" if match else f"Known: {', '.join(known)}."


def alike(name: str, known: Sequence[str], least: float) -> str | None:
    """The known name that `name` most looks like, whatever its case, if their likeness is at `least` so much, of 1."""
    by_lower = {each.lower(): each for each in known}
    matches = get_close_matches(name.lower(), by_lower, 1, least)
    return by_lower[matches[0]] if matches else None


def _is_names(text: str) -> bool:
    try:
        listed = json.loads(text) if text else []
    except ValueError:
        return False
    return isinstance(listed, list) and all(isinstance(each, str) for each in listed)


def _plain(number: float) -> str:
    return str(int(number)) if math.isfinite(number) and number == int(number) else str(number)
