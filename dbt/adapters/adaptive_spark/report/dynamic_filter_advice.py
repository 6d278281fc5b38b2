"""What became of a dynamic filter, in words, and what a user can do about a refusal. Pure.

The extension tells a refusal as an English sentence, the `verdict` of `dynamic_filter_stats()`. `_VERDICTS` knows each by its beginning and gives it
a code; everything else here goes by codes. Most refusals are as they should be (docs/reference/dynamic-filters.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter
from dbt.adapters.adaptive_spark.response.numbers import share, size
from dbt.adapters.adaptive_spark.response.predicate_text import without_catalog

_MEGABYTE = 2**20
# Beyond it keys are better left unread.
_MOST_MEGABYTES = 4096

# By code, how the extension's sentence begins; a group is a figure or a name that the words below repeat.
_VERDICTS = {
    "build_too_large": r"the build side has (?P<build>\d+) bytes, more than spark\.sql\.dynamicFilter\.maxBuildSize",
    "waits_too_long": r"the scan would wait for a build side that reads more than itself, (?P<build>\d+) bytes against (?P<probe>\d+)",
    "exchange_not_reused": r"spark\.sql\.exchange\.reuse is false",
    "key_type": r"keys of type (?P<type>.{1,40}) can't be compared",
    "not_reduced": r"nothing filters the build side",
    "scan_too_small": r"the scan has (?P<probe>\d+) bytes of files, less than",
    "columns_too_small": r"the scan's columns have about (?P<probe>\d+) bytes of files, less than",
    "useless_before": r"its last two runs kept (?P<kept>\d+) % .* after (?P<runs>\d+) runs without it",
    "no_scan": r"no scan below gives this key unchanged",
    "format_can_not_skip": r"its format can't skip data by this column",
    "shared": r"what it reads is shared with another part of the query",
    "not_repeatable": r"the build side may come out differently",
    "source_not_equal": r"Spark can't tell that the build side's source is the same",
    "not_cached_yet": r"the build side's cached table is not there yet",
    "stream": r"its progress would count the build side's rows twice",
    "hint_off": r"a hint says NO_DYNAMIC_FILTER",
    "other_values": r"what reads the scan's files would compare other values",
    "plan_too_large": r"the plan would become too large",
    "reading_failed": r"reading the keys failed: (?P<error>.*)",
    "all_rows_needed": r"a (?P<join>.{1,40}) join needs all rows of this side",
    "read_first": r"this side is the one that the join reads first",
}
_PATTERNS = {code: re.compile(pattern, re.DOTALL) for code, pattern in _VERDICTS.items()}

# By code, why the scan was not filtered. "The other side" is the other input of the join.
_REASONS = {
    "build_too_large": "The other side of the join has {build}, more than spark.sql.dynamicFilter.maxBuildSize, so its keys were not read.",
    "waits_too_long": "The scan would have to wait for the other side of the join, whose files have {build}. The scan's own files have only {probe}. Reading all "
    "of them at once is quicker.",
    "exchange_not_reused": "While spark.sql.exchange.reuse is false, Spark would compute the other side of the join twice, once for its keys and once for the join.",
    "key_type": "The join key has the type {type}, whose values can't be compared safely with the minimum and maximum that data files keep.",
    "not_reduced": "No condition leaves rows out of the other side of the join, except perhaps one that this scan has too. So its keys would skip nothing more.",
    "scan_too_small": "The table's files have only {probe}, less than spark.sql.dynamicFilter.minProbeSize. Reading all of them is quick.",
    "columns_too_small": "The columns that are read have only about {probe}, less than spark.sql.dynamicFilter.minProbeSize. Reading all of them is quick.",
    "useless_before": "In its last two runs the filter kept {kept}% of the rows or more, which was not worth the wait for its keys. It is tried again after "
    "{runs} runs without it.",
    "no_scan": "The join key is not a plain column of one table. It is computed on the way, or a LIMIT or the like stands between the table and the join.",
    "format_can_not_skip": "Either the file format can't skip data by this column, or Spark's own partition pruning does so already.",
    "shared": "Another part of the query reads the same data and needs all of it.",
    "not_repeatable": "The other side of the join may give other rows when it is computed again, as LIMIT, samples and random functions do. So its keys are not "
    "safe to use.",
    "source_not_equal": "The source on the other side of the join does not tell whether two reads of it are the same. Spark would read it twice.",
    "not_cached_yet": "The cached table on the other side of the join is not filled yet. The next query can use it.",
    "stream": "The other side of the join is a stream, whose progress would count rows twice.",
    "hint_off": "A NO_DYNAMIC_FILTER hint, or `dynamic_filter: false` of the model, turns it off.",
    "other_values": "The files may store other values than Spark compares, as of some old dates and times. Skipping by them would not be safe.",
    "plan_too_large": "The query has so many joins that filters for all of them would make its plan too large.",
    "reading_failed": "Reading the keys of the join failed, and the query went on without them: {error}",
    "all_rows_needed": "A {join} join needs every row of this side.",
    "read_first": "The join reads this side first, so the keys of the other side come too late.",
}


# Figures of the sentences as a person reads them: sizes, and LeftOuter as left outer.
_FIGURES: dict[str, Callable[[str], str]] = {
    "build": lambda text: size(int(text)),
    "probe": lambda text: size(int(text)),
    "join": lambda text: re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower(),
}


@dataclass(frozen=True)
class Remedy:
    """What to do, why that helps, and what to add, where there is something: a line of SQL, or a conf."""

    title: str
    why: str
    sql: str | None = None
    conf: tuple[str, str] | None = None


def code_of(verdict: str) -> tuple[str, dict[str, str]] | None:
    """The code of a refusal, and the figures and names in its sentence as the extension writes them; None of one that is not known."""
    for code, pattern in _PATTERNS.items():
        found = pattern.match(verdict)
        if found is not None:
            return code, found.groupdict()
    return None


def words(found: DynamicFilter) -> str:
    """A sentence or two, with sizes as a person reads them."""
    if not found.is_filtered:
        return f"Not filtered. {_reason(found.verdict)}"
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
        f"Filtered in vain: it kept {kept}. If it had to wait for the keys, and that happens in the next run too, the four "
        "runs after that go without this filter."
    )


def _reason(verdict: str) -> str:
    known = code_of(verdict)
    if known is None:
        return f"{verdict[:1].upper()}{verdict[1:]}."
    code, values = known
    return _REASONS[code].format_map(
        {name: _FIGURES[name](text) if name in _FIGURES else text for name, text in values.items()}
    )


def remedy(found: DynamicFilter) -> Remedy | None:
    """What a user can do about it; None where nothing is to be done."""
    known = code_of(found.verdict)
    if known is None:
        return None
    code, values = known
    make = _REMEDIES.get(code)
    return None if make is None else make(found, values)


def _larger_build(found: DynamicFilter, values: dict[str, str]) -> Remedy | None:
    limit = _power_of_two(int(values["build"]) / _MEGABYTE)
    if limit > _MOST_MEGABYTES:
        return None
    return Remedy(
        f"Let a larger table filter {_table(found)}",
        f"{_reason(found.verdict)} Reading more keys takes time and memory, on the driver too, so compare the run time before and after.",
        conf=("spark.sql.dynamicFilter.maxBuildSize", f"{limit}m"),
    )


def _reuse(found: DynamicFilter, values: dict[str, str]) -> Remedy:
    return Remedy(
        "Turn spark.sql.exchange.reuse on",
        "While it is off, no join filters a scan: Spark would compute the other side of the join twice, once for its keys and once for the join.",
        conf=("spark.sql.exchange.reuse", "true"),
    )


def _wait(found: DynamicFilter, values: dict[str, str]) -> Remedy:
    return Remedy(
        f"If the join needs few rows of {_table(found)}, filter it all the same",
        f"{_reason(found.verdict)} Only the sizes of files were compared, since nobody knows beforehand how few keys come out. With this hint the scan waits for "
        "them. It names the table by its alias in the FROM.",
        sql=f"select {{{{ dynamic_filter_hint(on='{_last_part(found.scan)}') }}}} …",
    )


def _key_type(found: DynamicFilter, values: dict[str, str]) -> Remedy:
    return Remedy(
        f"Store the join key {found.build_key} as an integer, a DECIMAL or a STRING",
        f"Keys of the type {values['type']} can't be used to skip data, so the join reads all of its other table.",
    )


_REMEDIES: dict[str, Callable[[DynamicFilter, dict[str, str]], Remedy | None]] = {
    "build_too_large": _larger_build,
    "exchange_not_reused": _reuse,
    "waits_too_long": _wait,
    "key_type": _key_type,
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
