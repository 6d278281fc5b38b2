"""The layout of a model's table: partitions, clusters and properties, from its configs to clauses of SQL. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_entry import as_text
from dbt.adapters.adaptive_spark.conf.quoting import text_token
from dbt.adapters.adaptive_spark.table.column_names import NAME, column_name

PARTITION_BY = "partition_by"
CLUSTERED_BY = "clustered_by"
BUCKETS = "buckets"
LIQUID = "liquid_clustered_by"
PROPERTIES = "tblproperties"
FORMAT = "file_format"
ICEBERG = "iceberg"
DELTA = "delta"
SESSION_FORMATS = (DELTA, ICEBERG)
# The transforms that Spark's grammar and Iceberg know; the last two have a number before the column.
_OF_TIME = ("year", "years", "month", "months", "day", "days", "hour", "hours")
# Iceberg's other names for two of them, which a table has by the first ones.
OTHER_NAMES = {"date": "days", "date_hour": "hours"}
_WITH_NUMBER = ("bucket", "truncate")
_FORMAT = re.compile(r"\w+(\.\w+)*", re.ASCII)
_BETWEEN_COMMAS = re.compile(r"(?:`(?:[^`]|``)*`|\([^)]*\)|[^,`(])+|[`(].*")
_TRANSFORM = re.compile(
    rf"(?P<name>\w+)\s*\(\s*(?:(?P<number>\d+)\s*,\s*)?(?P<column>{NAME.pattern})\s*\)", re.ASCII
)


@dataclass(frozen=True)
class TableLayout:
    """Clauses of a model's CREATE TABLE, checked: columns and transforms as SQL, properties as texts."""

    partitions: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    buckets: tuple[tuple[str, ...], int] | None = None
    properties: Mapping[str, str] | None = None

    @classmethod
    def of(cls, configs: Mapping[str, Any], model: str) -> TableLayout:
        """From a node's configs; `model` is how the user knows the node.

        Raises DbtValidationError with a sentence that names the config, its value and the model.
        """
        format_ = configs.get(FORMAT)
        if format_ is not None and not (isinstance(format_, str) and _FORMAT.fullmatch(format_)):
            raise DbtValidationError(
                f"{FORMAT}: {format_!r} is not a format's name ({model}). Write delta, iceberg, parquet or orc."
            )
        partitions = tuple(_partition(each, format_, model) for each in _listed(configs, PARTITION_BY, model))
        clusters = tuple(_column(LIQUID, each, model) for each in _listed(configs, LIQUID, model))
        if clusters and format_ != DELTA:
            raise DbtValidationError(
                f"{LIQUID}: {configs[LIQUID]!r} is for file_format delta, and {_format(format_)} ({model}). "
                f"Use file_format delta, or {PARTITION_BY}."
            )
        for other, is_said in ((PARTITION_BY, partitions), (CLUSTERED_BY, configs.get(CLUSTERED_BY))):
            if clusters and is_said:
                raise DbtValidationError(
                    f"{LIQUID} and {other} exclude each other in Delta Lake ({model}). Keep one."
                )
        return cls(partitions, clusters, _buckets(configs, model), _properties(configs, model))

    def partition_clause(self, label: str) -> str:
        """`label` is what stands before the columns: `partitioned by`, or `partition` in an INSERT."""
        return f"{label} ({', '.join(self.partitions)})" if self.partitions else ""

    @property
    def cluster_clause(self) -> str:
        if self.clusters:
            return f"cluster by ({', '.join(self.clusters)})"
        if self.buckets is None:
            return ""
        columns, number = self.buckets
        return f"clustered by ({', '.join(columns)}) into {number} buckets"

    def properties_clause(self, others: Mapping[str, str]) -> str:
        """The model's own properties, which go before `others`."""
        properties = {**others, **(self.properties or {})}
        if not properties:
            return ""
        pairs = (f"{text_token(key)} = {text_token(value)}" for key, value in properties.items())
        return f"tblproperties ({', '.join(pairs)})"


def columns_in(text: str) -> list[str]:
    """The columns and transforms of a text, with commas between them."""
    return _BETWEEN_COMMAS.findall(text) or [text]


def _listed(configs: Mapping[str, Any], config: str, model: str) -> list[Any]:
    """A config's columns; a text has one, or several with commas between them."""
    value = configs.get(config)
    if value is None:
        return []
    if isinstance(value, str):
        return columns_in(value)
    if not isinstance(value, (list, tuple)):
        raise DbtValidationError(
            f"{config}: {value!r} is not a column or a list of columns ({model}). Write it as ['status', 'day']."
        )
    return list(value)


def _column(config: str, value: Any, model: str) -> str:
    try:
        return column_name(value)
    except ValueError as fault:
        raise DbtValidationError(
            f"{config}: {value!r} is not a column's name: {fault} ({model}). Write it as ['status'], and in backquotes "
            "if such a sign is in the name."
        ) from None


def _partition(value: Any, format_: Any, model: str) -> str:
    transform = _TRANSFORM.fullmatch(value.strip()) if isinstance(value, str) else None
    if transform is None:
        return _column(PARTITION_BY, value, model)
    if format_ != ICEBERG:
        remedy = "Use file_format iceberg, or give the table a column of these values and name it here"
        if format_ == DELTA:
            remedy += f"; or leave {PARTITION_BY} out for {LIQUID}"
        raise DbtValidationError(
            f"{PARTITION_BY}: {value!r} is a transform, which only Iceberg has, and {_format(format_)} ({model}). {remedy}."
        )
    said, number = transform["name"].lower(), transform["number"]
    name = OTHER_NAMES.get(said, said)
    if name not in (*_OF_TIME, *_WITH_NUMBER) or (name in _WITH_NUMBER) != (number is not None):
        raise DbtValidationError(
            f"{PARTITION_BY}: {value!r} is not a transform of Iceberg's ({model}). "
            "They are years(c), months(c), days(c), hours(c), bucket(16, c) and truncate(4, c)."
        )
    first = [] if number is None else [number]
    return f"{name}({', '.join([*first, column_name(transform['column'])])})"


def _buckets(configs: Mapping[str, Any], model: str) -> tuple[tuple[str, ...], int] | None:
    """None unless both configs are said, as in dbt-spark."""
    number = configs.get(BUCKETS)
    columns = tuple(_column(CLUSTERED_BY, each, model) for each in _listed(configs, CLUSTERED_BY, model))
    if not columns or number is None:
        return None
    text = str(number)
    if isinstance(number, bool) or not (text.isascii() and text.isdigit() and int(text) > 0):
        raise DbtValidationError(
            f"{BUCKETS}: {number!r} is not a whole number above 0 ({model}). Write it as 8, or leave {CLUSTERED_BY} out."
        )
    return columns, int(text)


def _properties(configs: Mapping[str, Any], model: str) -> dict[str, str] | None:
    said = configs.get(PROPERTIES)
    if said is None:
        return None
    if not isinstance(said, Mapping):
        raise DbtValidationError(
            f"{PROPERTIES}: {said!r} is not a dictionary ({model}). "
            "Write it as {'delta.appendOnly': true}; in dbt_project.yml, as +tblproperties."
        )
    found = {}
    for key, value in said.items():
        if not isinstance(key, str) or not key.strip():
            raise DbtValidationError(
                f"{PROPERTIES}: {key!r} is not a property's name ({model}). Write a text."
            )
        try:
            found[key] = as_text(value)
        except TypeError:
            raise DbtValidationError(
                f"{PROPERTIES}: {key}: {value!r} is not text, a number or a boolean ({model})."
            ) from None
    return found


def _format(format_: Any) -> str:
    return "the model names no file_format" if format_ is None else f"the model's is {format_}"
