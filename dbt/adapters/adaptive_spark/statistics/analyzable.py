"""Tables and columns of which Spark keeps statistics, and the rows from which on they are worth their cost. Pure."""

from __future__ import annotations

import re

# Below it Spark's guesses cost less than asking.
MIN_ROWS = 100_000
# By format that keeps statistics of its own, what works there.
REMEDIES = {
    "delta": "Delta Lake collects what it skips files by when it writes; Spark's own statistics can't be stored with it",
    "iceberg": "Iceberg itself tells Spark a table's rows and bytes; what it has of columns, Spark's planner cannot use",
    "hudi": "Hudi keeps its statistics in its metadata table; turn hoodie.metadata.index.column.stats.enable on",
}
# Columns whose statistics Spark's planner takes. It fails on those of others, some of which ANALYZE collects: times
# without a zone, text with a collation.
_WITH_HISTOGRAM = re.compile(
    r"tinyint|smallint|int|integer|bigint|float|double|decimal(\(\d+, ?\d+\))?|date|timestamp(_ltz)?"
)
_WITHOUT_HISTOGRAM = re.compile(r"boolean|binary|string|(char|varchar)\(\d+\)")


def has_histograms(type_: str) -> bool:
    """True if ANALYZE can make a histogram of a column of this type that the planner can use."""
    return _WITH_HISTOGRAM.fullmatch(type_.lower()) is not None


def is_usable(type_: str) -> bool:
    """True if Spark's planner can use statistics of columns of this type."""
    return has_histograms(type_) or _WITHOUT_HISTOGRAM.fullmatch(type_.lower()) is not None
