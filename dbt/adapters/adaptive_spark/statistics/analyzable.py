"""Of which tables and columns Spark keeps statistics, and from how many rows on they are worth their cost. Pure."""

from __future__ import annotations

# Below it Spark's guesses cost less than asking.
MIN_ROWS = 100_000
# By format that keeps statistics of its own, what works there.
REMEDIES = {
    "delta": "Delta Lake collects what it skips files by when it writes; Spark's own statistics can't be stored with it",
    "iceberg": "Iceberg has statistics of its own, by CALL <catalog>.system.compute_table_stats(table => 'schema.table')",
    "hudi": "Hudi keeps its statistics in its metadata table; turn hoodie.metadata.index.column.stats.enable on",
}
# types by which ANALYZE makes no histograms, and those of which it stores nothing
_WITHOUT_HISTOGRAM = ("string", "varchar", "char", "boolean", "binary")
_UNCOUNTABLE = ("array", "map", "struct", "variant", "interval", "void", "geometry", "geography", "time(")


def has_histograms(type_: str) -> bool:
    """Whether ANALYZE can make a histogram of a column of this type."""
    return not type_.lower().startswith(_WITHOUT_HISTOGRAM)


def is_countable(type_: str) -> bool:
    """Whether Spark computes statistics of columns of this type."""
    return not type_.lower().startswith(_UNCOUNTABLE)
