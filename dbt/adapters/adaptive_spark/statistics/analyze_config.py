"""The config `analyze` of a table, checked once. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry, as_text, from_text
from dbt.adapters.adaptive_spark.conf.conf_keys import SAMPLE, conf_spec, nearest
from dbt.adapters.adaptive_spark.statistics.analyzable import MIN_ROWS, is_usable

OFF, AUTO, ALL = "off", "auto", "all"
HISTOGRAMS = "spark.sql.statistics.histogram.enabled"
# A sample of as many rows tells what all do; of more, ANALYZE takes minutes.
ENOUGH_ROWS = 1_000_000


class ColumnError(DbtValidationError):
    """A config names a column that has no statistics."""


@dataclass(frozen=True)
class AnalyzeConfig:
    """`columns` is AUTO (those that models downstream use), ALL, or names; `min_rows` the size from which it is done;
    `histograms` is left to the session where it is None; `sample` is the share of the rows that is counted, None
    where nobody said: see `sampled`.
    """

    columns: str | tuple[str, ...] = AUTO
    min_rows: int = MIN_ROWS
    histograms: bool | None = None
    sample: float | None = None

    @classmethod
    def of(cls, value: Any, model: str) -> AnalyzeConfig | None:
        """From the value of `analyze`: a mode, a list of columns, or a dictionary with `columns` and the options.

        None where it is off.

        Raises DbtValidationError with a sentence that names the option, its value, its bounds and the model.
        """
        options = dict(value) if isinstance(value, Mapping) else {"columns": value}
        known = [each.name for each in fields(cls)]
        for name in options:
            if name not in known:
                raise DbtValidationError(
                    f"analyze: {name!r} is not an option ({model}). {nearest(name, known)}"
                )
        columns = options.setdefault("columns", AUTO)
        checked = _checked(options, model)
        if columns is None or from_text(columns) is False or columns == OFF:  # YAML reads `off` as false
            return None
        return cls(_columns(columns, model), **checked)

    def sampled(self, rows: int | None, session: str | None) -> AnalyzeConfig:
        """With the sample that nobody asked for, of a table with so many `rows`: ENOUGH_ROWS of at least twice as many,
        unless the `session` has a conf for it.
        """
        if self.sample is not None or session is not None or rows is None or rows < 2 * ENOUGH_ROWS:
            return self
        least = conf_spec(SAMPLE).minimum or 0.0
        return replace(self, sample=max(least, round(ENOUGH_ROWS / rows, 4)))

    @property
    def confs(self) -> list[ConfEntry]:
        """Confs to set in the session before the statement."""
        entries = [] if self.histograms is None else [ConfEntry(HISTOGRAMS, as_text(self.histograms))]
        return entries if self.sample is None else [*entries, ConfEntry(SAMPLE, as_text(self.sample))]


def _columns(value: Any, model: str) -> str | tuple[str, ...]:
    if value in (AUTO, ALL):
        return str(value)
    if isinstance(value, (list, tuple)) and value and all(isinstance(each, str) and each for each in value):
        return tuple(value)
    raise DbtValidationError(
        f"analyze: {value!r} is neither off, auto, all nor a list of columns ({model}). "
        "Write it as auto, or as [id, day]."
    )


def _checked(options: Mapping[str, Any], model: str) -> dict[str, Any]:
    given = MIN_ROWS if options.get("min_rows") is None else options["min_rows"]
    rows = from_text(given)
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
        raise DbtValidationError(
            f"analyze: min_rows: {given!r} is not a number of rows from 0 ({model}). "
            f"Leave it out for the default, {MIN_ROWS}."
        )
    histograms = from_text(options.get("histograms"))
    if histograms is not None and not isinstance(histograms, bool):
        raise DbtValidationError(
            f"analyze: histograms: {options['histograms']!r} is neither true nor false ({model}). "
            f"Leave it out for the session's, {HISTOGRAMS}."
        )
    sample = options.get("sample")
    fault = None if sample is None else conf_spec(SAMPLE).fault(sample)
    if fault is not None:
        raise DbtValidationError(
            f"analyze: sample: {sample!r} {fault} ({model}). Leave it out for the session's, {SAMPLE}, "
            f"or else all rows, of more than {2 * ENOUGH_ROWS:,} some {ENOUGH_ROWS:,}."
        )
    return {
        "min_rows": rows,
        "histograms": histograms,
        "sample": None if sample is None else float(sample),
    }


def check_columns(config: AnalyzeConfig, types: Mapping[str, str], table: str, model: str) -> None:
    """Raises ColumnError where the config names a column that is none of the table's, whose types are `types`, or of a
    type of which Spark's planner uses no statistics.
    """
    by_lower = {name.lower(): type_ for name, type_ in types.items()}
    for name in () if isinstance(config.columns, str) else config.columns:
        type_ = by_lower.get(name.lower())
        if type_ is None:
            raise ColumnError(
                f"analyze: {name!r} is not a column of {table} ({model}). {nearest(name, [*types])}"
            )
        if not is_usable(type_):
            raise ColumnError(
                f"analyze: {name!r} is of the type {type_}, of which Spark's planner uses no statistics ({model}). Leave it out."
            )
