"""Work of a statement: from Spark's own words to dbt's artifacts and the console. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.adaptive_spark.conf.extension_facts import columns, threshold
from dbt.adapters.adaptive_spark.conf.quoting import literal
from dbt.adapters.adaptive_spark.response.numbers import counted
from dbt.adapters.adaptive_spark.response.plan_changes import PlanChanges, statistics_words
from dbt.adapters.adaptive_spark.response.predicate_text import added_by_spark
from dbt.adapters.adaptive_spark.response.run_stats import Row, RunStats

_CONJUNCT = columns("adaptive_filter_stats", "conjunct")
_FILTER = columns("adaptive_filter_stats", "filter")
_DYNAMIC = columns("dynamic_filter_stats", "scan", "filter")
# The verdict code of a filter that was placed; all others are refusals.
FILTERED = "filtered"

_COMMENTS = re.compile(r"(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/|\()*", re.DOTALL)
_WORK = re.compile(r"(create|replace|insert|merge|update|delete|select|with|from)\b", re.IGNORECASE)
_NO_WORK = re.compile(
    r"create\s+(or\s+replace\s+)?(global\s+)?(temp(orary)?\s+)?(view|schema|database|namespace|function)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class QueryScope:
    """Which of the remembered queries are meant: those of one node in one run, after those already reported."""

    query_tag: str
    run_id: str
    after: int


def can_carry_work(sql: str) -> bool:
    """True if a statement may filter or write rows, so that asking what it did is worth a query."""
    start = _COMMENTS.match(sql)
    statement = sql[start.end() :] if start is not None else sql
    return _WORK.match(statement) is not None and _NO_WORK.match(statement) is None


def stats_sql(scope: QueryScope) -> str:
    """One text, which `run_stats` reads."""
    return f"select stats from adaptive_run_stats({literal(scope.query_tag)}, {literal(scope.run_id)}, {scope.after})"


def newest_query(stats: RunStats, after: int) -> int:
    """The highest query id, or `after` where there is none."""
    return max((row["query_id"] for rows in stats.values() for row in rows), default=after)


def rows_written(queries: Iterable[Row]) -> int | None:
    """The rows that all the queries wrote, or None where none is known to have written."""
    written = [row["rows_written"] for row in queries if row["rows_written"] is not None]
    return sum(written) if written else None


def learned_filters(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """One dictionary a filter, in the order in which they were created, from a row a conjunct."""
    filters: dict[int, dict[str, Any]] = {}
    for row in rows:
        learned = filters.setdefault(row["filter_id"], {**_chosen(row, _FILTER), "conjuncts": []})
        learned["conjuncts"].append(_chosen(row, _CONJUNCT))
    for learned in filters.values():
        learned["conjuncts"].sort(key=lambda conjunct: conjunct["final_position"])
    return [filters[filter_id] for filter_id in sorted(filters)]


def dynamic_filters(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """One dictionary a key of a join, in the order of the rows."""
    return [_chosen(row, _DYNAMIC) for row in rows]


def _chosen(row: Row, names: Iterable[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def message(
    rows_affected: int | None,
    filters: Sequence[dict[str, Any]],
    dynamic: Sequence[dict[str, Any]] = (),
    aqe: PlanChanges | None = None,
) -> str:
    """The console line's few words, such as `OK, 27,004 rows, 1 of 2 filters reordered for
    speed, 1 scan filtered by a join`.

    What Spark does for most models, such as merging the partitions of a shuffle, is in the artifacts alone.
    """
    rows = [] if rows_affected is None else [counted(rows_affected, "row")]
    places = [
        (
            [
                (each["predicate"], each["written_position"], each["final_position"])
                for each in learned["conjuncts"]
            ],
            learned["reorderings"],
        )
        for learned in filters
    ]
    moved = [reorderings for conjuncts, reorderings in places if is_reordered(conjuncts)]
    with_order = sum(has_order(conjuncts) for conjuncts, _ in places)
    reordered = reordered_words(with_order, sum(map(bool, moved)), moved.count(0))
    # the filters of one scan repeat its counts
    scans = {
        (each["scan"], *map(each.get, ("rows_total", "rows_read", "bytes_read"))): drops_rows(
            *map(each.get, ("kept", "row_groups", "row_groups_read", "files", "files_read"))
        )
        for each in dynamic
        if each["verdict_code"] == FILTERED
    }
    outcomes = list(scans.values())
    joins = filtered_words(outcomes.count(True), outcomes.count(False))
    return ", ".join(["OK", *rows, *reordered, *joins, *statistics_words(aqe or {})])


# A conjunct's predicate, its written place and its place in the end
Place = tuple[str, int, int]


def has_order(conjuncts: Iterable[Place]) -> bool:
    """True if there is more than one predicate to order besides those that Spark adds."""
    return sum(added_by_spark(predicate) is None for predicate, _, _ in conjuncts) > 1


def is_reordered(conjuncts: Iterable[Place]) -> bool:
    """True if the predicates, without those that Spark adds, ended in another order than the written one.

    That order may have been in force from the first row, by what an earlier run learned, a hint or statistics:
    `reorderings` counts only changes during the run.
    """
    ended = sorted(
        (final, written) for predicate, written, final in conjuncts if added_by_spark(predicate) is None
    )
    written_places = [written for _, written in ended]
    return written_places != sorted(written_places)


def reordered_words(filters: int, in_run: int, from_start: int) -> list[str]:
    """`1 of 2 filters reordered for speed` of those that changed while the query ran, and `1 filter reordered from the
    start` of those that began so and stayed; none where there are none.
    """

    def words(reordered: int) -> str:
        of = counted(filters, "filter")
        return f"{of if filters == reordered else f'{reordered:,} of {of}'} reordered"

    return [
        *([f"{words(in_run)} for speed"] if in_run else []),
        *([f"{words(from_start)} from the start"] if from_start else []),
    ]


def filtered_words(useful: int, in_vain: int) -> list[str]:
    """`2 scans filtered by joins`, `1 scan filtered by a join in vain`; none where there are none."""

    def words(scans: int) -> str:
        return f"{counted(scans, 'scan')} filtered by {'a join' if scans == 1 else 'joins'}"

    return [*([words(useful)] if useful else []), *([f"{words(in_vain)} in vain"] if in_vain else [])]


def drops_rows(
    kept: float | None,
    row_groups: int | None = None,
    row_groups_read: int | None = None,
    files: int | None = None,
    files_read: int | None = None,
) -> bool | None:
    """True if the filters of a scan kept so few of its rows that they were worth it; None where that is not known.

    `kept` is a share of the rows. Where nobody knows it, the share of row groups that were read stands in, or that of
    files if it is small: within files that were read, much may have been skipped. Bytes do not: they are fewer also
    where only some columns are read.
    """
    most = threshold("dynamic_most_kept")
    if kept is None and row_groups and row_groups_read is not None:
        kept = row_groups_read / row_groups
    if kept is None and files and files_read is not None and files_read / files <= most:
        return True
    return None if kept is None else kept <= most
