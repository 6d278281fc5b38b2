"""The report: one HTML file that needs nothing from outside and lets nothing in. Pure but for its template."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.conf.extension_facts import threshold
from dbt.adapters.adaptive_spark.report.advice import OURS, advice, not_known
from dbt.adapters.adaptive_spark.report.artifacts import Artifacts
from dbt.adapters.adaptive_spark.report.node_views import Charts, NodeView, filtered_scans, node_views
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter, Run
from dbt.adapters.adaptive_spark.report.statistics_advice import Advice
from dbt.adapters.adaptive_spark.report.statistics_gaps import TableStatistics, statistics_needed
from dbt.adapters.adaptive_spark.response import numbers
from dbt.adapters.adaptive_spark.response.numbers import about, counted, size
from dbt.adapters.adaptive_spark.response.plan_changes import summary
from dbt.include.adaptive_spark import PACKAGE_PATH

_FOLDER = Path(PACKAGE_PATH) / "report"
_MOST_BARS = 30
_MOST_LINKS = 8


@dataclass(frozen=True)
class Tile:
    """A number and what it says; `more` is the second line."""

    number: str
    title: str
    more: str


def report_page(artifacts: Artifacts, plotly: str) -> str:
    """The page. `plotly` is the library's JavaScript, which is left out where there is nothing to draw."""
    run, project = artifacts.run, artifacts.project
    tables = (
        statistics_needed(project, run, artifacts.catalog)
        if project.adapter == OURS and artifacts.catalog is not None
        else []
    )
    views, charts = node_views(run.nodes, project.nodes, tables, artifacts.memory or {})
    charts |= _timeline(views, run)
    script = _text("page.js")
    scripts = [script, plotly] if charts else [script]
    return _template().render(
        most_kept=_most_kept(),
        run=run,
        project=project,
        version=version,
        statuses=_statuses(run),
        tiles=_tiles(run, tables, artifacts.catalog is not None),
        notices=not_known(artifacts, tables),
        advised=_advised(advice(artifacts, tables), views),
        anchors={view.result.unique_id: view.anchor for view in views},
        bars=_bars(views),
        any_failed=any(view.result.has_failed for view in views),
        nodes=views,
        kinds=sorted({view.kind.partition(",")[0] for view in views}),
        charts=charts,
        style=_text("page.css"),
        script=script,
        plotly=plotly if charts else None,
        allowed=" ".join(map(_hash, scripts)),
    )


def _bars(views: Sequence[NodeView]) -> Sequence[NodeView]:
    """Failed nodes, and the slowest of the others, of each as many as the page has room for."""
    failed = [view for view in views if view.result.has_failed]
    return [*failed[:_MOST_BARS], *[view for view in views if not view.result.has_failed][:_MOST_BARS]]


def _advised(found: Sequence[Advice], views: Sequence[NodeView]) -> list[tuple[Advice, list[NodeView]]]:
    """Each piece of advice with the entries of the nodes that gain by it, save those that a point of it leads to."""
    entries = {view.result.unique_id: view for view in views}
    linked = [
        [
            entries[node]
            for node in each.nodes
            if node in entries and node not in {point.node for point in each.points}
        ]
        for each in found
    ]
    return [(each, views[:_MOST_LINKS]) for each, views in zip(found, linked, strict=True)]


def _bytes(scans: Sequence[DynamicFilter]) -> str:
    """Bytes read and in all, of the scans whose bytes were counted; empty where none were."""
    counts = [
        (each.bytes_read, each.bytes_total)
        for each in scans
        if each.bytes_read is not None and each.bytes_total is not None
    ]
    if not counts:
        return ""
    return f"{size(sum(read for read, _ in counts))} of {size(sum(total for _, total in counts))} read"


def _tiles(run: Run, tables: Sequence[TableStatistics], has_catalog: bool) -> list[Tile]:
    filters = [each for node in run.nodes for each in node.filters if each.has_order]
    reordered = sum(each.is_reordered_in_run for each in filters)
    from_start = sum(each.is_reordered for each in filters) - reordered
    tried = [each for node in run.nodes for each in filtered_scans(node)]
    scans = [each for each in tried if each.drops_rows]
    in_vain, unknown = (sum(each.drops_rows is drops for each in tried) for drops in (False, None))
    known = [each for each in scans if each.rows_total is not None and each.rows_read is not None]
    total, read = sum(each.rows_total or 0 for each in known), sum(each.rows_read or 0 for each in known)
    spared = (
        f"about {about(max(0, total - read))} of about {about(total)} rows not read (estimate)"
        if known
        else ""
    )
    others = [
        f"{in_vain:,} filtered in vain: more than {_most_kept()} of the rows kept" if in_vain else "",
        f"{unknown:,} filtered with unknown effect" if unknown else "",
    ]
    words = [each for each in (spared, _bytes(scans), *others) if each]
    changes: dict[str, list[Mapping[str, Any]]] = {}
    for node in run.nodes:
        for kind, of_kind in node.changes.items():
            changes.setdefault(kind, []).extend(of_kind)
    wrong = len(changes.get("rows", ()))
    lacking = [each for each in tables if each.wants_statistics]
    return [
        Tile(
            f"{reordered:,}",
            "filter reordered for speed" if reordered == 1 else "filters reordered for speed",
            f"of {counted(len(filters), 'filter')} with several conditions"
            + (f"; {from_start:,} more reordered from the start" if from_start else ""),
        ),
        Tile(
            f"{len(scans):,}",
            "scan filtered by a join" if len(scans) == 1 else "scans filtered by joins",
            "; ".join(words) or f"no join left a scan {_most_kept()} of its rows or less",
        ),
        Tile(
            f"{sum(len(of_kind) for kind, of_kind in changes.items() if kind != 'rows'):,}",
            "changes of plans while queries ran",
            ", ".join(summary(changes)) or "plans ran as they were planned",
        ),
        Tile(
            f"{len(lacking):,}" if has_catalog else "?",
            "table lacks statistics" if len(lacking) == 1 else "tables lack statistics",
            (
                f"of {counted(len(tables), 'table')} that later models filter, join or group"
                if has_catalog
                else "not known: catalog.json is missing"
            )
            + (
                f"; {counted(wrong, 'row estimate')} more than {threshold('rows_misjudged_by'):.0f} × wrong"
                if wrong
                else ""
            ),
        ),
    ]


def _most_kept() -> str:
    return f"{threshold('dynamic_most_kept'):.0%}"


def _statuses(run: Run) -> str:
    """`30 success, 1 error`, the most frequent first."""
    return ", ".join(f"{count:,} {status}" for status, count in Counter(node.status for node in run.nodes).most_common())  # fmt: skip


def _timeline(views: Sequence[NodeView], run: Run) -> Charts:
    """When each node ran, on which of dbt's threads, in seconds since the first began."""
    timed = [view for view in views if view.result.began is not None and view.result.ended is not None]
    if not timed:
        return {}
    start = min(view.result.began for view in timed if view.result.began is not None)
    bars = [
        {
            "anchor": view.anchor,
            "name": view.name,
            "thread": view.result.thread.partition(" ")[0],
            "from": round((view.result.began - start).total_seconds(), 3),
            "seconds": round((view.result.ended - view.result.began).total_seconds(), 3),
            "failed": view.result.has_failed,
        }
        for view in timed
        if view.result.began is not None and view.result.ended is not None
    ]
    return {"timeline": {"bars": sorted(bars, key=lambda bar: (bar["thread"], bar["from"]))}}


def _hash(script: str) -> str:
    """By which a browser knows a script that may run; no other does."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _with_code(sentence: str) -> Markup:
    """The sentence as HTML: text between backquotes as code, and all of it escaped."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if at % 2 else part
        for at, part in enumerate(sentence.split("`"))
    )


@lru_cache
def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


@lru_cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        duration=numbers.duration, counted=numbers.counted, when=numbers.when, with_code=_with_code
    )
    return environment.get_template("page.html")
