"""The extension's conf keys, as the jar's own list describes them: names, defaults and bounds have their home there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from dbt.adapters.adaptive_spark.conf.conf_entry import as_text
from dbt.adapters.adaptive_spark.conf.extension_facts import exported

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
# What a rate may be instead of a number of rows.
AUTO = "auto"
# What may stand for a value besides a text, by type.
_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "int": (int,),
    "rate": (int,),
    "double": (int, float),
}
# What Java's String.trim takes away.
_BLANKS = "".join(map(chr, range(ord(" ") + 1)))
# Above it, a word is a misspelling of another: spark.sql.adaptive, Spark's own, is at 0.73 from adaptiveFilter.
_ALIKE = 0.85


@dataclass(frozen=True)
class ConfSpec:
    """One key: its type, its default, which texts it accepts, and what sets it besides `SET`, if anything.

    `allowed` is what it accepts in words, as the end of "is not …". A text is accepted if `pattern` matches it and,
    where it is a number, if that lies in [`minimum`, `maximum`]. `model_config` is the dbt config, `hint_option` the
    name in the hint `ADAPTIVE_FILTER('name=value')`.
    """

    key: str
    type: str
    default: Any
    allowed: str
    pattern: str | None
    minimum: float | None
    maximum: float | None
    values: tuple[str, ...]
    model_config: str | None
    hint_option: str | None

    def fault(self, value: Any) -> str | None:
        """The fault of a config's value, as the end of a sentence that begins with the value; None where it is right.

        A text counts as Spark reads it, as in a `SET`: Jinja's `env_var` gives nothing else. Otherwise the Python type
        counts: `1` is not true, and `True` is no number.
        """
        fits = type(value) in (str, *_PYTHON_TYPES.get(self.type, ()))
        return self.text_fault(as_text(value)) if fits else f"is not {self.allowed}"

    def text_fault(self, text: str) -> str | None:
        """The fault of a text for Spark, worded as in `fault`. A text has one if the jar refuses it, and only then."""
        return None if self._accepts(text.strip(_BLANKS)) else f"is not {self.allowed}"

    def _accepts(self, text: str) -> bool:
        if self.pattern is not None and re.fullmatch(self.pattern, text) is None:
            return False
        if self.values:
            return text in self.values
        if self.type == "names":
            return not text or _is_names(text)
        if self.minimum is None or self.maximum is None or text.lower() == AUTO:
            return True
        number = float(text) if self.type == "double" else int(text)
        return self.minimum <= number <= self.maximum


@lru_cache(maxsize=1)
def conf_specs() -> tuple[ConfSpec, ...]:
    """Every key of the extension, in the order of its documentation."""
    return tuple(
        ConfSpec(
            each["key"],
            each["type"],
            each["default"],
            each["allowed"],
            each["pattern"],
            each["min"],
            each["max"],
            tuple(each["values"]),
            each["model_config"],
            each["hint_option"],
        )
        for each in exported("configs")
    )


def conf_fault(key: str, text: str, of: str = "") -> str | None:
    """Why `key` cannot be set to `text`, as a sentence; None where it can, or where the key is in none of our
    namespaces, nor in one that is misspelt.

    `of` is the model, which the sentence names in parentheses.
    """
    place = of and f" ({of})"
    specs = {spec.key: spec for spec in conf_specs()}
    spec = specs.get(key)
    if spec is None:
        if not _is_meant_for_us(key):
            return None
        return f"{key} is not a configuration of adaptive-spark{place}. {nearest(key, [*specs])}"
    fault = spec.text_fault(text)
    return (
        None
        if fault is None
        else f"{key}: {text} {fault}{place}. Leave it out for the default, {as_text(spec.default) or 'empty'}."
    )


def _is_meant_for_us(key: str) -> bool:
    """True of a key whose namespace is one of ours, in any case and with a letter wrong:
    `spark.sql.adaptivefilters.momentum`.
    """
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
        listed = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(listed, list) and all(isinstance(each, str) for each in listed)
