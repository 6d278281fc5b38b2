"""Verdicts on dynamic filters in words, and remedies for refusals. Pure.

The extension says why a scan was not filtered by a code and figures, the `verdict_code` and `verdict_figures` of
`dynamic_filter_stats()`. Here each code has words for a dbt user. The extension's own text stands in for a code of
another release. Most refusals are as they should be (docs/reference/dynamic-filters.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.adaptive_spark.conf.extension_facts import threshold
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter
from dbt.adapters.adaptive_spark.response.numbers import share, size
from dbt.adapters.adaptive_spark.response.predicate_text import without_catalog

# Runs without a filter that was of no use, before Spark tries it again.
_PATIENCE = threshold("dynamic_patience")
_MEGABYTE = 2**20
# Beyond it keys are better left unread.
_MOST_MEGABYTES = 4096

# By code, why the scan was not filtered. "The other side" is the other input of the join. `verdict` is the extension's
# own text, which begins with a capital.
REASONS = {
    "build_too_large": "The other side of the join has {build_bytes}, more than spark.sql.dynamicFilter.maxBuildSize, so its keys were not read.",
    "build_reads_more": "The scan would have to wait for the other side of the join, which reads about as long as {build_bytes} of files. The scan's own "
    "files have only {scan_bytes}. Reading all of them at once is quicker.",
    "exchange_reuse_off": "While spark.sql.exchange.reuse is false, Spark would compute the other side of the join twice, once for its keys and once for the join.",
    "key_type_unsupported": "The values of the join key's type can't be compared safely with the minimum and maximum that data files keep.",
    "build_not_reduced": "No condition leaves rows out of the other side of the join, except perhaps one that this scan has too. So its keys would skip nothing more.",
    "scan_too_small": "The table's files have only {scan_bytes}, less than spark.sql.dynamicFilter.minProbeSize. Reading all of them is quick.",
    "columns_too_small": "The columns that are read have only about {scan_bytes}, less than spark.sql.dynamicFilter.minProbeSize. Reading all of them is quick.",
    "kept_too_many": "In its last two runs the filter kept {kept} of the rows or more, which was not worth what its keys cost. It is tried again after "
    "{patience} runs without it.",
    "no_scan_of_key": "The join key is not a plain column of one table. It is computed on the way, or a LIMIT or the like stands between the table and the join.",
    "scan_cannot_skip": "Either the file format can't skip data by this column, or Spark's own partition pruning does so already.",
    "scan_shared": "Another part of the query reads the same data and needs all of it.",
    "build_not_repeatable": "The other side of the join may give other rows when it is computed again, as LIMIT, samples and random functions do. So its keys "
    "are not safe to use.",
    "build_not_reused": "The source on the other side of the join does not tell whether two reads of it are the same. Spark would read it twice.",
    "build_not_cached": "The cached table on the other side of the join is not filled yet. The next query can use it.",
    "build_is_stream": "The other side of the join is a stream, whose progress would count rows twice.",
    "hint_off": "A NO_DYNAMIC_FILTER hint, or `dynamic_filter: false` of the model, turns it off.",
    "values_differ": "The files may store other values than Spark compares, as of some old dates and times. Skipping by them would not be safe.",
    "source_refused": "The table's source did not take the keys. Spark's log has a warning with the reason.",
    "plan_too_large": "The query has so many joins that filters for all of them would make its plan too large.",
    "keys_unreadable": "The query went on without the keys of the join. {verdict}",
    "join_needs_all_rows": "{verdict}.",
    "no_exchange": "The join does not gather the rows of its other side before it reads this one, so their keys come too late.",
}


@dataclass(frozen=True)
class Remedy:
    """A remedy: its title, why it helps, and what to add where there is something: a line of SQL, or a conf."""

    title: str
    why: str
    sql: str | None = None
    conf: tuple[str, str] | None = None


def words(found: DynamicFilter) -> str:
    """A sentence or two, with sizes as a person reads them."""
    if not found.is_filtered:
        return f"Not filtered. {_reason(found)}"
    if found.drops_rows is None:
        return "Filtered by the keys of the join. How many rows that left out is not known."
    kept = (
        "no row"
        if found.kept == 0
        else f"about {share(found.kept)} of the rows"
        if found.kept is not None
        else "most row groups"
    )
    if found.drops_rows:
        left = f" It kept {kept}." if found.kept is not None else ""
        return f"Filtered by the keys of the join.{left}"
    return (
        f"Filtered in vain: it kept {kept}. If it had to wait for the keys, or the table is Delta Lake's or Iceberg's, and "
        f"that happens in the next run too, the {_PATIENCE} runs after that go without this filter."
    )


def _reason(found: DynamicFilter) -> str:
    verdict = f"{found.verdict[:1].upper()}{found.verdict[1:]}"
    figures = {name: share(of) if name == "kept" else size(round(of)) for name, of in found.figures.items()}
    try:
        return REASONS[found.code].format(**figures, verdict=verdict, patience=_PATIENCE)
    except KeyError:  # the code, or a figure, is another release's
        return f"{verdict}."


def remedy(found: DynamicFilter) -> Remedy | None:
    """The remedy for a scan that was not filtered; None where nothing is to be done."""
    make = _REMEDIES.get(found.code)
    return None if make is None else make(found)


def _larger_build(found: DynamicFilter) -> Remedy | None:
    limit = _power_of_two(found.figures.get("build_bytes", 0) / _MEGABYTE)
    if limit > _MOST_MEGABYTES:
        return None
    return Remedy(
        f"Let a larger table filter {_table(found)}",
        f"{_reason(found)} Reading more keys takes time and memory, on the driver too, so compare the run time before and after.",
        conf=("spark.sql.dynamicFilter.maxBuildSize", f"{limit}m"),
    )


def _reuse(found: DynamicFilter) -> Remedy:
    return Remedy(
        "Turn spark.sql.exchange.reuse on",
        "While it is off, no join filters a scan: Spark would compute the other side of the join twice, once for its keys and once for the join.",
        conf=("spark.sql.exchange.reuse", "true"),
    )


def _wait(found: DynamicFilter) -> Remedy:
    return Remedy(
        f"If the join needs few rows of {_table(found)}, filter it all the same",
        f"{_reason(found)} Only the sizes of files were compared, since nobody knows beforehand how few keys come out. With this hint the scan waits for "
        "them. It names the table by its alias in the FROM.",
        sql=f"select {{{{ dynamic_filter_hint(on='{_last_part(found.scan)}') }}}} …",
    )


def _key_type(found: DynamicFilter) -> Remedy:
    return Remedy(
        f"Store the join key {found.build_key} as an integer, a DECIMAL or a STRING",
        "Keys of its type can't be used to skip data, so the join reads all of its other table.",
    )


_REMEDIES: dict[str, Callable[[DynamicFilter], Remedy | None]] = {
    "build_too_large": _larger_build,
    "exchange_reuse_off": _reuse,
    "build_reads_more": _wait,
    "key_type_unsupported": _key_type,
}


def _table(found: DynamicFilter) -> str:
    return without_catalog(found.scan) or "the table"


def _last_part(scan: str) -> str:
    return re.sub(r"\W", "", scan.rpartition(".")[2]) or "alias"


def _power_of_two(megabytes: float) -> int:
    limit = 1
    while limit < megabytes:
        limit *= 2
    return limit
