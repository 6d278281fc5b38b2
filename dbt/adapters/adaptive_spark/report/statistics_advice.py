"""Which statistics to collect, and the lines that do it: where later models need them, and where Spark's planner was wrong without. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dbt.adapters.adaptive_spark.report.config_snippets import analyze_lines, yaml_name
from dbt.adapters.adaptive_spark.report.manifest import Project, ProjectNode
from dbt.adapters.adaptive_spark.report.run_results import Run
from dbt.adapters.adaptive_spark.report.statistics_gaps import TableStatistics
from dbt.adapters.adaptive_spark.response.numbers import counted, duration
from dbt.adapters.adaptive_spark.statistics.analyzable import MIN_ROWS

_MOST_ALONE = 5
_MOST_POINTS = 30
_MOST_COLUMNS = 12


@dataclass(frozen=True)
class Advice:
    """What to do and why; the line to add and the file it belongs in, where there are such; and what it is about, one by one."""

    title: str
    why: str
    snippet: str | None = None
    place: str | None = None
    points: Sequence[str] = ()
    nodes: Sequence[str] = ()


@dataclass(frozen=True)
class WrongEstimate:
    """A stage of which Spark expected another number of rows, by more than ten times; `node` is whose query it was. `is_alone`: the stage had read
    one table only.
    """

    node: str
    planned: int
    actual: int
    is_alone: bool


@dataclass(frozen=True)
class _Case:
    """A table that wants statistics."""

    node: ProjectNode
    lacking: Sequence[str] = ()
    rows: int | None = None
    readers: Sequence[str] = ()
    seconds: float = 0.0
    wrong: Sequence[WrongEstimate] = field(default_factory=tuple)

    @property
    def value(self) -> tuple[bool, float]:
        """Where the planner was wrong comes first, then the time of the models that read the table."""
        return (bool(self.wrong), self.seconds)

    @property
    def needs_min_rows(self) -> bool:
        """Whether `analyze` would leave the table alone for its size, though it matters."""
        rows = self.rows if self.rows is not None else max((each.actual for each in self.wrong), default=None)
        return bool(self.wrong) and rows is not None and rows < MIN_ROWS


def statistics_advice(project: Project, run: Run, tables: Iterable[TableStatistics]) -> list[Advice]:
    """Most valuable first."""
    cases = sorted(_cases(project, run, tables), key=lambda case: case.value, reverse=True)
    sources = [case for case in cases if case.node.kind == "source"]
    nodes = [case for case in cases if case.node.kind != "source"]
    alone = [case for case in nodes if len(nodes) <= _MOST_ALONE or case.wrong][:_MOST_ALONE]
    found = [(case.value, _of_one(case, project)) for case in alone]
    if len(nodes) > _MOST_ALONE:
        found.append(((False, sum(case.seconds for case in nodes)), _of_many(nodes, project)))
    if sources:
        found.append((sources[0].value, _of_sources(sources, project)))
    return [advice for _, advice in sorted(found, key=lambda each: each[0], reverse=True)]


def wrong_estimates(project: Project, run: Run) -> dict[str, list[WrongEstimate]]:
    """By the unique id of the table that the stage had read."""
    known = {node.table.lower(): node for node in project.nodes.values() if node.is_table_or_view}
    found: dict[str, list[WrongEstimate]] = {}
    for result in run.nodes:
        for change in result.changes.get("rows", ()):
            names = str(change["tables"]).lower().split(", ")
            for name in names:
                node = known.get(".".join(name.split(".")[-2:]))
                if node is not None:
                    wrong = WrongEstimate(
                        result.unique_id, change["planned"], change["actual"], len(names) == 1
                    )
                    found.setdefault(node.unique_id, []).append(wrong)
    return found


def _cases(project: Project, run: Run, tables: Iterable[TableStatistics]) -> Iterator[_Case]:
    seconds = {result.unique_id: result.seconds for result in run.nodes}
    wrong = wrong_estimates(project, run)
    looked_at = set()
    for table in tables:
        looked_at.add(table.node.unique_id)
        # of several tables that were read, a small one is hardly the one to blame
        of_table = [
            each for each in wrong.get(table.node.unique_id, []) if each.is_alone or not table.is_small
        ]
        is_worth_it = table.wants_statistics or (table.lacking and of_table)
        if is_worth_it and not table.node.collects_statistics:
            readers = sorted(table.readers & seconds.keys())
            took = sum(seconds[each] for each in readers)
            yield _Case(table.node, table.lacking, table.rows, readers, took, of_table)
    read = {parent for node in project.nodes.values() if node.is_table_or_view for parent in node.parents}
    for unique_id, of_table in wrong.items():
        node = project.nodes[unique_id]
        is_left = node.is_inlined or node.collects_statistics or node.keeps_own_statistics
        if unique_id in read and unique_id not in looked_at and not is_left:
            took = sum(seconds[each] for each in {each.node for each in of_table})
            yield _Case(node, wrong=of_table, seconds=took)


def _of_one(case: _Case, project: Project) -> Advice:
    snippet, place = analyze_lines(case.node, project, 0 if case.needs_min_rows else None)
    return Advice(
        title=f"Collect statistics of {case.node.table}",
        why=_why(case, project),
        snippet=snippet,
        place=place,
        nodes=(case.node.unique_id,),
    )


def _of_many(cases: Sequence[_Case], project: Project) -> Advice:
    kinds = [kind for kind in ("model", "seed", "snapshot") if any(case.node.kind == kind for case in cases)]
    return Advice(
        title=f"Collect statistics of {len(cases)} tables at once",
        why="Later models filter, join or group by columns of these tables that have no statistics. "
        f"Tables of fewer than {MIN_ROWS:,} rows are left alone.",
        snippet="\n".join(f"{kind}s:\n  {yaml_name(project.name)}:\n    +analyze: auto" for kind in kinds),
        place="dbt_project.yml",
        points=_points(cases),
        nodes=tuple(case.node.unique_id for case in cases),
    )


def _of_sources(cases: Sequence[_Case], project: Project) -> Advice:
    names = ", ".join(yaml_name(case.node.name) for case in cases)
    is_small = any(case.needs_min_rows for case in cases)
    options = ", analyze: {columns: auto, min_rows: 0}" if is_small else ""
    arguments = shlex.quote(f"{{sources: [{names}]{options}}}")
    return Advice(
        title=f"Collect statistics of {counted(len(cases), 'source')}",
        why=" ".join([_why(case, project) for case in cases if case.wrong][:_MOST_ALONE])
        or "Models filter, join or group by columns of these tables that have no statistics.",
        snippet=f"dbt run-operation analyze_sources --args {arguments}",
        place="a shell, whenever the sources have changed",
        points=_points(cases),
        nodes=tuple(case.node.unique_id for case in cases),
    )


def _why(case: _Case, project: Project) -> str:
    sentences = []
    if case.wrong:
        worst = max(case.wrong, key=lambda each: max(each.planned, each.actual) / max(1, min(each.planned, each.actual)))  # fmt: skip
        sentences.append(
            f"In {_name(worst.node, project)}, Spark expected {counted(worst.planned, 'row')} from "
            f"{case.node.table}{'' if worst.is_alone else ' and others'} and got {worst.actual:,}."
        )
    if case.lacking:
        sentences.append(
            f"{_readers(case)} by {counted(len(case.lacking), 'column')} without statistics: {_columns(case)}."
        )
    return " ".join(sentences)


def _readers(case: _Case) -> str:
    if not case.readers:
        return "Later models filter, join or group"
    verb = "filters, joins or groups" if len(case.readers) == 1 else "filter, join or group"
    return f"{counted(len(case.readers), 'model')} that took {duration(case.seconds)} {verb}"


def _points(cases: Sequence[_Case]) -> list[str]:
    shown = [f"{case.node.table}: {_columns(case) or 'the planner was wrong about it'}" for case in cases]
    more = len(shown) - _MOST_POINTS
    return [*shown[:_MOST_POINTS], *([f"and {counted(more, 'more table')}"] if more > 0 else [])]


def _columns(case: _Case) -> str:
    more = len(case.lacking) - _MOST_COLUMNS
    return ", ".join(case.lacking[:_MOST_COLUMNS]) + (f" and {more} more" if more > 0 else "")


def _name(unique_id: str, project: Project) -> str:
    return project.nodes[unique_id].name if unique_id in project.nodes else unique_id
