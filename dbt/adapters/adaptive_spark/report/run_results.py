"""Reader of dbt's run_results.json: a run and its nodes, with their filters, scans and plans. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from dbt.adapters.adaptive_spark.report.json_reader import Entry, ShapeError
from dbt.adapters.adaptive_spark.response.plan_changes import PlanChanges
from dbt.adapters.adaptive_spark.response.statement_response import (
    FILTERED,
    Place,
    drops_rows,
    has_order,
    is_reordered,
)

# Their values may be secrets. dbt writes them without the quotes that they had: those in braces end with the last brace
# there is, others nobody knows where.
_VARS = re.compile(r"--vars[ =](?:\{.*\}|.*)", re.DOTALL)
_FRACTION = re.compile(r"\.(\d+)")
_KINDS_OF_CHANGE = ("coalesced", "split", "join", "rows")


@dataclass(frozen=True)
class Conjunct:
    """A predicate that moves as a whole.

    `written` and `place` count from 0; `selectivity`, a share of rows, and `cost_ns`, nanoseconds a row, are None where
    it met no row. `branch` names the AND and OR nodes that it stands below, outermost first, each once in its filter:
    `OR 1`, `AND 3`. `shape` is empty, and so is `branch`, in a response of an earlier release.
    """

    predicate: str
    written: int
    place: int
    monitored: int
    selectivity: float | None
    cost_ns: float | None
    may_throw: bool
    shape: str = ""
    branch: tuple[str, ...] = ()

    @property
    def rank(self) -> float | None:
        """Nanoseconds for each row that the predicate decides; infinite where it decides none.

        Below an AND these are the rows that it drops, cost / (1 − selectivity) (arXiv 1905.01349, §2.1). Below an OR
        they are those that it lets through, cost / selectivity.
        """
        if self.selectivity is None or self.cost_ns is None:
            return None
        is_of_or = bool(self.branch) and self.branch[-1].startswith("OR")
        decided = self.selectivity if is_of_or else 1 - self.selectivity
        return self.cost_ns / decided if decided > 0 else math.inf


@dataclass(frozen=True)
class Filter:
    """A filter that ran; its conjuncts in the order in which they stood at its end."""

    rows_in: int
    rows_out: int
    reorderings: int
    conjuncts: Sequence[Conjunct]

    @property
    def has_order(self) -> bool:
        return has_order(self._places)

    @property
    def is_reordered(self) -> bool:
        return is_reordered(self._places)

    @property
    def is_reordered_in_run(self) -> bool:
        """True if the order changed while the query ran.

        An order other than the written one may hold from the first row.
        """
        return self.is_reordered and self.reorderings > 0

    @property
    def _places(self) -> list[Place]:
        return [(each.predicate, each.written, each.place) for each in self.conjuncts]

    @property
    def written(self) -> tuple[str, ...]:
        """The conjuncts' shapes in written order, by which the memory knows the filter."""
        return tuple(each.shape for each in sorted(self.conjuncts, key=lambda each: each.written))


@dataclass(frozen=True)
class DynamicFilter:
    """A key of a join that filtered a scan, or could not; numbers are None where nobody knows them.

    `code` is what became of it for programs, `verdict` for people, and `figures` has the numbers of the verdict by
    name. A response of an earlier release has the verdict alone, which stands in for the code.
    """

    scan: str
    probe_key: str
    build_key: str
    verdict: str
    code: str
    figures: Mapping[str, float]
    kind: str | None
    build_rows: int | None
    build_keys: int | None
    ranges: int | None
    row_test: str | None
    rows_total: int | None
    rows_read: int | None
    kept: float | None
    bytes_total: int | None
    bytes_read: int | None
    files: int | None
    files_read: int | None
    row_groups: int | None
    row_groups_read: int | None
    wait_ms: int | None

    @property
    def is_filtered(self) -> bool:
        return self.code == FILTERED

    @property
    def drops_rows(self) -> bool | None:
        if not self.is_filtered:
            return None
        return drops_rows(self.kept, self.row_groups, self.row_groups_read, self.files, self.files_read)


@dataclass(frozen=True)
class NodeResult:
    """A node that dbt ran.

    `is_told`: whether its response says anything of filters, scans and plans, as only this adapter's does.
    `is_batched`: whether it ran in microbatches, of whose responses dbt keeps none.
    """

    unique_id: str
    status: str
    seconds: float
    message: str | None = None
    rows: int | None = None
    compiled_code: str | None = None
    thread: str = ""
    began: datetime | None = None
    ended: datetime | None = None
    is_told: bool = False
    is_batched: bool = False
    filters: Sequence[Filter] = ()
    dynamic: Sequence[DynamicFilter] = ()
    changes: PlanChanges = field(default_factory=dict)

    @property
    def has_failed(self) -> bool:
        return self.status in ("error", "fail", "runtime error", "partial success")


@dataclass(frozen=True)
class Run:
    """A run of dbt. `which` is its command, as `build`; `command` the whole line."""

    which: str
    command: str
    dbt_version: str
    began: datetime | None
    ended: datetime
    seconds: float
    nodes: Sequence[NodeResult]

    @property
    def is_told(self) -> bool:
        return any(node.is_told for node in self.nodes)


def run(content: Entry) -> Run:
    """The run of a run_results.json with this content. Raises ShapeError."""
    metadata, arguments = content.at("metadata"), content.at("args")
    which = arguments.text_or_none("which") or ""
    return Run(
        which=which,
        command=_VARS.sub("--vars …", arguments.text_or_none("invocation_command") or f"dbt {which}".strip()),
        dbt_version=metadata.text_or_none("dbt_version") or "",
        began=moment_or_none(metadata, "invocation_started_at"),
        ended=moment(metadata, "generated_at"),
        seconds=content.number("elapsed_time"),
        nodes=tuple(map(_node, content.each("results"))),
    )


def moment(entry: Entry, name: str) -> datetime:
    """A time that must be there, in UTC. Raises ShapeError."""
    return _time(entry, name, entry.text(name))


def moment_or_none(entry: Entry, name: str) -> datetime | None:
    """A time, in UTC. Raises ShapeError where it is something else."""
    text = entry.text_or_none(name)
    return None if text is None else _time(entry, name, text)


def _microseconds(fraction: re.Match[str]) -> str:
    """A second's fraction with six digits, as Python 3.10 wants it."""
    return f".{fraction[1]:0<6.6}"


def _time(entry: Entry, name: str, text: str) -> datetime:
    try:
        found = datetime.fromisoformat(_FRACTION.sub(_microseconds, text.replace("Z", "+00:00")))
    except ValueError as error:
        raise ShapeError(f"{entry.place}.{name} is {text!r:.60}, not a time") from error
    # dbt leaves the zone out of some
    return found.replace(tzinfo=timezone.utc) if found.tzinfo is None else found.astimezone(timezone.utc)


def _node(entry: Entry) -> NodeResult:
    response = entry.at("adapter_response")
    rows = response.value.get("rows_affected")  # other adapters have texts and negative numbers
    steps = [(moment_or_none(each, "started_at"), moment_or_none(each, "completed_at")) for each in entry.each("timing")]  # fmt: skip
    is_told = "adaptive_filters" in response.value
    return NodeResult(
        unique_id=entry.text("unique_id"),
        status=entry.text("status"),
        seconds=entry.number("execution_time"),
        message=entry.text_or_none("message"),
        rows=rows if type(rows) is int and rows >= 0 else None,
        compiled_code=entry.text_or_none("compiled_code") or None,
        thread=entry.text_or_none("thread_id") or "",
        began=min((began for began, _ in steps if began is not None), default=None),
        ended=max((ended for _, ended in steps if ended is not None), default=None),
        is_told=is_told,
        is_batched=entry.value.get("batch_results") is not None,
        filters=tuple(map(_filter, response.each("adaptive_filters"))) if is_told else (),
        dynamic=tuple(map(_dynamic, response.each("dynamic_filters"))) if is_told else (),
        changes=_changes(response.at("aqe")) if is_told else {},
    )


def _filter(entry: Entry) -> Filter:
    conjuncts = sorted(map(_conjunct, entry.each("conjuncts")), key=lambda each: each.place)
    return Filter(
        entry.count("rows_in"), entry.count("rows_out"), entry.count("reorderings"), tuple(conjuncts)
    )


def _conjunct(entry: Entry) -> Conjunct:
    return Conjunct(
        predicate=entry.text("predicate"),
        written=entry.count("written_position"),
        place=entry.count("final_position"),
        monitored=entry.count("rows_monitored"),
        selectivity=entry.number_or_none("selectivity"),
        cost_ns=entry.number_or_none("cost_ns"),
        may_throw=entry.value.get("may_throw") is True,
        shape=entry.text_or_none("shape") or "",
        branch=tuple(each for each in (entry.text_or_none("branch") or "").split(" / ") if each),
    )


def _dynamic(entry: Entry) -> DynamicFilter:
    figures = entry.at("verdict_figures")
    return DynamicFilter(
        scan=entry.text_or_none("scan") or "",
        probe_key=entry.text_or_none("probe_key") or "",
        build_key=entry.text_or_none("build_key") or "",
        verdict=entry.text("verdict"),
        code=entry.text_or_none("verdict_code") or entry.text("verdict"),
        figures={name: figures.number(name) for name in figures.value},
        kind=entry.text_or_none("kind"),
        build_rows=entry.count_or_none("build_rows"),
        build_keys=entry.count_or_none("build_keys"),
        ranges=entry.count_or_none("ranges"),
        row_test=entry.text_or_none("row_test"),
        rows_total=entry.count_or_none("rows_total"),
        rows_read=entry.count_or_none("rows_read"),
        kept=entry.number_or_none("kept"),
        bytes_total=entry.count_or_none("bytes_total"),
        bytes_read=entry.count_or_none("bytes_read"),
        files=entry.count_or_none("files"),
        files_read=entry.count_or_none("files_read"),
        row_groups=entry.count_or_none("row_groups"),
        row_groups_read=entry.count_or_none("row_groups_read"),
        wait_ms=entry.count_or_none("wait_ms"),
    )


def _changes(entry: Entry) -> PlanChanges:
    return {
        kind: [_change(kind, each) for each in entry.each(kind)]
        for kind in _KINDS_OF_CHANGE
        if entry.value.get(kind)
    }


def _change(kind: str, entry: Entry) -> Mapping[str, Any]:
    of = entry.text if kind == "join" else entry.count
    found = {
        "stage": entry.count_or_none("stage"),
        "node": entry.text_or_none("node") or "",
        "tables": entry.text_or_none("tables") or "",
        "planned": of("planned"),
        "actual": of("actual"),
        "statistics": entry.text_or_none("statistics"),
    }
    return {key: value for key, value in found.items() if value is not None}
