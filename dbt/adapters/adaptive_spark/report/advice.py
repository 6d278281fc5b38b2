"""Advice after a run, most valuable first, and the gaps in the page's knowledge. Pure.

It says only what the docs say, with what the artifacts know filled in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dbt.adapters.adaptive_spark.learned.evidence import FILE_NAME
from dbt.adapters.adaptive_spark.report.artifacts import Artifacts
from dbt.adapters.adaptive_spark.report.config_snippets import in_project
from dbt.adapters.adaptive_spark.report.dynamic_filter_advice import Remedy, remedy
from dbt.adapters.adaptive_spark.report.filter_order_advice import filter_order
from dbt.adapters.adaptive_spark.report.manifest import ProjectNode
from dbt.adapters.adaptive_spark.report.run_results import NodeResult
from dbt.adapters.adaptive_spark.report.statistics_advice import Advice, Point, statistics_advice
from dbt.adapters.adaptive_spark.report.statistics_gaps import TableStatistics
from dbt.adapters.adaptive_spark.response.numbers import counted, listed, when

DOCS = "`dbt docs generate --no-compile`"
_BUILDS_NOTHING = ("compile", "generate", "list", "parse", "run-operation", "show")
OURS = "adaptive_spark"
_MOST = 10
_MOST_ORDERS = 5


def advice(artifacts: Artifacts, tables: Sequence[TableStatistics]) -> list[Advice]:
    """Statistics first, of what the planner was wrong about before all; then joins; then
    what filters learn anew each time.
    """
    if artifacts.project.adapter != OURS:
        return []
    return [
        *statistics_advice(artifacts.project, artifacts.run, tables),
        *_joins(artifacts),
        *_memory(artifacts),
    ]


def not_known(artifacts: Artifacts, tables: Sequence[TableStatistics]) -> list[str]:
    """A sentence for each gap in what the page can say, with its remedy."""
    return [
        *_run_gaps(artifacts),
        *_batches(artifacts),
        *_catalog_gaps(artifacts, tables),
    ]


def _joins(artifacts: Artifacts) -> Iterator[Advice]:
    """Once for each thing to do, for the slowest of the models that would gain by it."""
    found: dict[tuple[str, str | tuple[str, str] | None], tuple[Remedy, list[str]]] = {}
    for result in sorted(artifacts.run.nodes, key=lambda each: -each.seconds):
        for each in result.dynamic:
            known = remedy(each)
            if known is not None:
                _, nodes = found.setdefault((known.title, known.sql or known.conf), (known, []))
                if result.unique_id not in nodes:
                    nodes.append(result.unique_id)
    for known, nodes in list(found.values())[:_MOST]:
        snippet, place = _lines(known, artifacts.project.nodes.get(nodes[0]))
        yield Advice(known.title, known.why, snippet, place, nodes=tuple(nodes))


def _lines(known: Remedy, node: ProjectNode | None) -> tuple[str | None, str | None]:
    """The text to add, and the file that it belongs in; None for each where there is none."""
    if node is not None and known.conf is not None:
        key, value = known.conf
        return in_project(node, f"+spark_conf: {{{key}: '{value}'}}")
    return known.sql, node.path if node is not None and known.sql is not None else None


def _memory(artifacts: Artifacts) -> Iterator[Advice]:
    nodes = (artifacts.memory or {}).values()
    if any(len(each.runs) > 1 for node in nodes for each in node.orders):
        return
    learned = [result for result in artifacts.run.nodes if any(each.is_reordered for each in result.filters)]
    if not learned:
        return
    orders = list(_orders(sorted(learned, key=lambda each: -each.seconds), artifacts))[:_MOST_ORDERS]
    config = " Or write the order into the models that matter, which then start from it without that file:"
    yield Advice(
        title=f"If CI or a container starts each run with an empty target folder, keep target/{FILE_NAME} between runs",
        why=f"In {counted(len(learned), 'node')} another order of conditions was measured to be quicker than the written one, and this is the first run on "
        "record. As long as that file is there, the next run starts from these orders, and there is nothing to do."
        + (config if orders else ""),
        points=orders,
        nodes=tuple(each.unique_id for each in learned),
    )


def _orders(results: Iterable[NodeResult], artifacts: Artifacts) -> Iterator[Point]:
    for result in results:
        node = artifacts.project.nodes.get(result.unique_id)
        moved = [each for each in result.filters if each.is_reordered]
        if node is None or node.kind != "model" or node.filter_order or len(moved) != 1:
            continue
        order = filter_order(moved[0], result.compiled_code or "")
        if order is not None:
            yield Point(node.name, "", f"{{{{ config(filter_order={order!r}) }}}}", node.path, node.unique_id)


def _run_gaps(artifacts: Artifacts) -> Iterator[str]:
    run, adapter = artifacts.run, artifacts.project.adapter
    if run.which in _BUILDS_NOTHING:
        yield (
            f"run_results.json comes from `dbt {'docs generate' if run.which == 'generate' else run.which}`, which builds nothing. "
            f"Run `dbt build` again, then this report. {DOCS} leaves the file alone."
        )
    elif not run.is_told and adapter == OURS and not any(node.is_batched for node in run.nodes):
        yield "No model of this run filtered, joined or wrote rows, so there is nothing to show about filters, scans and plans."
    elif not run.is_told and adapter != OURS:
        yield (
            f"This run used the adapter {adapter or 'of another type'}, which tells nothing about filters, scans and plans. "
            "Set `type: adaptive_spark` in the profile to see them."
        )


def _batches(artifacts: Artifacts) -> Iterator[str]:
    names = sorted(
        node.path or result.unique_id
        for result in artifacts.run.nodes
        if result.is_batched and (node := artifacts.project.nodes.get(result.unique_id)) is not None
    )
    if names:
        yield f"dbt keeps no details of microbatch models, so the page lacks the filters, scans and plans of {listed(names, _MOST)}."


def _catalog_gaps(artifacts: Artifacts, tables: Sequence[TableStatistics]) -> Iterator[str]:
    catalog, run = artifacts.catalog, artifacts.run
    if artifacts.project.adapter != OURS:
        return
    if catalog is None:
        yield f"Which columns have statistics is not known, because catalog.json is missing. Run {DOCS} after `dbt build`."
        return
    forgotten = [each for each in tables if not each.is_known]
    is_old = run.began is not None and catalog.generated < run.began
    if is_old:
        some = (
            f" The statistics of {counted(len(forgotten), 'table')} written since then are not known."
            if forgotten
            else ""
        )
        yield f"catalog.json is from {when(catalog.generated)}, before this run.{some} Run {DOCS} after `dbt build`."
    silent = [each.node.schema for each in forgotten if not is_old]
    for schema in sorted(set(silent)):
        yield (
            f"catalog.json does not say which columns in the schema {schema} have statistics: one of its tables has a format that "
            "keeps statistics of its own, such as Delta Lake or Iceberg."
        )
