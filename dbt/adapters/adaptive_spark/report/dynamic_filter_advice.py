"""What became of a dynamic filter, in words, and what a user can do about a refusal. Pure.

The verdicts are those of `dynamic_filter_stats()`; most refusals are as they should be (docs/dynamic-filters.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter
from dbt.adapters.adaptive_spark.response.numbers import share, size

_BYTES = re.compile(r"\b(\d+) bytes\b|(?<= against )(\d+)$")
_LARGE = re.compile(r"the build side has (\d+) bytes, more than spark\.sql\.dynamicFilter\.maxBuildSize")
_WAITS = re.compile(r"the scan would wait for a build side that reads more than itself")
_NOT_REUSED = re.compile(r"spark\.sql\.exchange\.reuse is false")
_KEY_TYPE = re.compile(r"keys of type (.{1,40}) can't be compared")
_MEGABYTE = 2**20
# Beyond it keys are better left unread.
_MOST_MEGABYTES = 4096


@dataclass(frozen=True)
class Remedy:
    """What to do, why that helps, and what to add, where there is something: a line of SQL, or a conf."""

    title: str
    why: str
    sql: str | None = None
    conf: tuple[str, str] | None = None


def words(found: DynamicFilter) -> str:
    """A sentence or two, with sizes as a person reads them."""
    if not found.is_filtered:
        verdict = _BYTES.sub(lambda match: size(int(match[1] or match[2])), found.verdict)
        return f"Not filtered: {verdict}."
    if found.kept is not None and not found.drops_rows:
        return (
            f"Filtered in vain: {share(found.kept)} of the rows were left. If the scan has to wait for its keys and the next "
            "run leaves as many, the four queries after that do without them."
        )
    return "Filtered."


def remedy(found: DynamicFilter) -> Remedy | None:
    """What a user can do about it; None where nothing is to be done."""
    large = _LARGE.match(found.verdict)
    if large is not None:
        limit = _power_of_two(int(large[1]) / _MEGABYTE)
        if limit > _MOST_MEGABYTES:
            return None
        return Remedy(
            f"Let joins read larger build sides for {found.scan}",
            f"The build side has {size(int(large[1]))}, more than spark.sql.dynamicFilter.maxBuildSize, so its keys were "
            "not read. Reading them takes time and memory of tasks and driver.",
            conf=("spark.sql.dynamicFilter.maxBuildSize", f"{limit}m"),
        )
    if _NOT_REUSED.match(found.verdict):
        return Remedy(
            "Turn spark.sql.exchange.reuse on",
            "Without it a dynamic filter would run the build side twice, so there is none.",
            conf=("spark.sql.exchange.reuse", "true"),
        )
    if _WAITS.match(found.verdict):
        return Remedy(
            f"If few keys come of it, say that the join shall filter {found.scan}",
            f"{words(found)} Sizes of files decide that; a hint counts whatever the sizes. It takes the alias that the "
            "table has in the FROM.",
            sql=f"select {{{{ dynamic_filter_hint(on='{_last_part(found.scan)}') }}}} …",
        )
    key_type = _KEY_TYPE.match(found.verdict)
    if key_type is not None:
        return Remedy(
            f"Keep the key {found.build_key} as an integer, a DECIMAL or a STRING",
            f"Keys of type {key_type[1]} can't prune a scan.",
        )
    return None


def _last_part(scan: str) -> str:
    return re.sub(r"\W", "", scan.rpartition(".")[2]) or "alias"


def _power_of_two(megabytes: float) -> int:
    limit = 1
    while limit < megabytes:
        limit *= 2
    return limit
