"""The statistics to collect, and the lines that do it: where later models need them, and where Spark's
planner was wrong without. Pure.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dbt.adapters.adaptive_spark.conf.catalog_name import SESSION_CATALOG
from dbt.adapters.adaptive_spark.report.config_snippets import analyze_lines, yaml_name
from dbt.adapters.adaptive_spark.report.manifest import Project, ProjectNode
from dbt.adapters.adaptive_spark.report.run_results import Run
from dbt.adapters.adaptive_spark.report.statistics_gaps import NOT_COMPILED, TableStatistics
from dbt.adapters.adaptive_spark.response.numbers import counted, duration, listed
from dbt.adapters.adaptive_spark.response.plan_changes import factor, times_wrong, wanting_statistics
from dbt.adapters.adaptive_spark.statistics.analyzable import MIN_ROWS

_MOST_ALONE = 5
_MOST_POINTS = 30
_MOST_COLUMNS = 2
_WHY = (
    "Models filter, join or group by columns of these tables that have no statistics. So Spark has to guess how many rows to expect, and may choose "
    "the wrong join."
)
COMPILED = (
    "`dbt docs generate --target-path target/docs`, then `dbt-adaptive-spark report --docs-path target/docs`"
)


@dataclass(frozen=True)
class Point:
    """One line of a piece of advice: what it is about, why, what to add for it and to which file.

    `node` is the unique id of a table.
    """

    subject: str
    why: str = ""
    snippet: str | None = None
    place: str | None = None
    node: str | None = None


@dataclass(frozen=True)
class Advice:
    """Advice: what to do and why.

    `snippet` and `place` are what to add and where, if that is one thing for all its points. `nodes` are the unique ids
    of those that gain by it.
    """

    title: str
    why: str
    snippet: str | None = None
    place: str | None = None
    points: Sequence[Point] = ()
    nodes: Sequence[str] = ()


@dataclass(frozen=True)
class WrongEstimate:
    """An estimate of the planner that was wrong by more than ten times.

    `planned` rows were estimated before the query of `node` ran, `actual` were counted while it did. `is_alone`:
    they come from one table only.
    """

    node: str
    planned: int
    actual: int
    is_alone: bool


@dataclass(frozen=True)
class _Case:
    """A table that wants statistics.

    `unread`: models that may use more of its columns than those that are `lacking`.
    """

    node: ProjectNode
    lacking: Sequence[str] = ()
    rows: int | None = None
    readers: Sequence[str] = ()
    seconds: float = 0.0
    wrong: Sequence[WrongEstimate] = ()
    unread: Sequence[str] = ()

    @property
    def value(self) -> tuple[bool, float]:
        """Where the planner was wrong comes first, then the time of the models that read the table."""
        return (bool(self.wrong), self.seconds)

    @property
    def needs_min_rows(self) -> bool:
        """True if `analyze` would leave the table alone for its size, though it matters."""
        rows = self.rows if self.rows is not None else max((each.actual for each in self.wrong), default=None)
        return bool(self.wrong) and rows is not None and rows < MIN_ROWS


def statistics_advice(project: Project, run: Run, tables: Iterable[TableStatistics]) -> list[Advice]:
    """Most valuable first: one for the project's own tables, one for its sources."""
    cases = sorted(_cases(project, run, tables), key=lambda case: case.value, reverse=True)
    sources = [case for case in cases if case.node.kind == "source"]
    nodes = [case for case in cases if case.node.kind != "source"]
    found = [
        (of[0].value, make(of, project)) for of, make in ((nodes, _of_nodes), (sources, _of_sources)) if of
    ]
    return [advice for _, advice in sorted(found, key=lambda each: each[0], reverse=True)]


def not_counted(table: TableStatistics) -> list[str]:
    """A sentence or two for each reason why models may use more of a table's columns than those that are known."""
    missing = sorted(model for model, why in table.unread.items() if why == NOT_COMPILED)
    found = []
    if missing:
        them = "it" if len(missing) == 1 else "them"
        found.append(
            f"{_read_too(missing, f'dbt did not compile {them} in this run')} To have all models compiled and read: {COMPILED}."
        )
    others = sorted((model, why) for model, why in table.unread.items() if why != NOT_COMPILED)
    found += [
        f"{_read_too([model], why)} If they matter, list all columns that need statistics in the config of this table, such as {_example(table)}, "
        "or set `analyze: all`."
        for model, why in others[:_MOST_ALONE]
    ]
    return found


def _read_too(models: Sequence[str], why: str) -> str:
    verbs = (
        "reads this table too, but which columns it uses"
        if len(models) == 1
        else "read this table too, but which columns they use"
    )
    return f"There may be more: {listed(models, _MOST_ALONE)} {verbs} is not known, because {why}."


def _example(table: TableStatistics) -> str:
    return f"`analyze: [{', '.join([*table.needed[:2], 'another_column'])}]`"


def wrong_estimates(project: Project, run: Run) -> dict[str, list[WrongEstimate]]:
    """By the unique id of a table that the stage had read and whose statistics may mend the estimate."""
    known = {node.table.lower(): node for node in project.nodes.values() if node.is_table_or_view}
    found: dict[str, list[WrongEstimate]] = {}
    for result in run.nodes:
        for change in result.changes.get("rows", ()):
            is_alone = ", " not in str(change["tables"])
            for name in wanting_statistics(change):
                node = known.get(name.lower().removeprefix(f"{SESSION_CATALOG}."))
                if node is not None:
                    wrong = WrongEstimate(result.unique_id, change["planned"], change["actual"], is_alone)
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
            yield _Case(table.node, table.lacking, table.rows, readers, took, of_table, sorted(table.unread))
    read = {parent for node in project.nodes.values() if node.is_table_or_view for parent in node.parents}
    for unique_id, of_table in wrong.items():
        node = project.nodes[unique_id]
        is_left = node.is_inlined or node.collects_statistics or node.keeps_own_statistics
        if unique_id in read and unique_id not in looked_at and not is_left:
            took = sum(seconds[each] for each in {each.node for each in of_table})
            yield _Case(node, wrong=of_table, seconds=took)


def _of_nodes(cases: Sequence[_Case], project: Project) -> Advice:
    """A line a table, with the config to add; of many tables one config for all, and a line of their
    own for those that need another.
    """
    is_one_by_one = len(cases) <= _MOST_ALONE
    points = [
        _point(case, project, *_own_lines(case, project, is_one_by_one or case.needs_min_rows))
        for case in cases
    ]
    kinds = [kind for kind in ("model", "seed", "snapshot") if any(case.node.kind == kind for case in cases)]
    for_all = "\n".join(f"{kind}s:\n  {yaml_name(project.name)}:\n    +analyze: auto" for kind in kinds)
    return Advice(
        title=_title(cases, "table"),
        why=_WHY
        if is_one_by_one
        else f"{_WHY} With this config, tables of fewer than {MIN_ROWS:,} rows are left alone.",
        snippet=None if is_one_by_one else for_all,
        place=None if is_one_by_one else "dbt_project.yml",
        points=_bounded(points),
    )


def _own_lines(case: _Case, project: Project, has_own: bool) -> tuple[str, str] | tuple[None, None]:
    return analyze_lines(case.node, project, 0 if case.needs_min_rows else None) if has_own else (None, None)


def _of_sources(cases: Sequence[_Case], project: Project) -> Advice:
    names = ", ".join(yaml_name(case.node.name) for case in cases)
    # a source that nobody has counted may have fewer rows than the command asks for by itself
    may_be_small = any(case.needs_min_rows or case.rows is None for case in cases)
    options = ", analyze: {columns: auto, min_rows: 0}" if may_be_small else ""
    arguments = shlex.quote(f"{{sources: [{names}]{options}}}")
    return Advice(
        title=_title(cases, "source"),
        why=f"{_WHY} dbt does not build sources, so run this command whenever they have changed.",
        snippet=f"dbt run-operation analyze_sources --args {arguments}",
        place="a shell",
        points=_bounded([_point(case, project) for case in cases]),
    )


def _title(cases: Sequence[_Case], kind: str) -> str:
    return f"Collect statistics of {cases[0].node.table if len(cases) == 1 else counted(len(cases), kind)}"


def _point(case: _Case, project: Project, snippet: str | None = None, place: str | None = None) -> Point:
    reasons = []
    if case.wrong:
        worst = max(case.wrong, key=lambda each: times_wrong(each.planned, each.actual))
        whose = "" if worst.is_alone else " of it and other tables"
        reasons.append(
            f"row estimate{whose} {factor(worst.planned, worst.actual)} in {_name(worst.node, project)}"
        )
    if case.lacking:
        reasons.append(f"{_columns(case)} in {_readers(case)}")
    if case.unread and case.node.kind == "source":  # which has no entry on the page that could say so
        reasons.append(f"perhaps other columns in {listed(case.unread, 2)}, not read")
    return Point(case.node.table, "; ".join(reasons), snippet, place, case.node.unique_id)


def _readers(case: _Case) -> str:
    if not case.readers:
        return "later models"
    took = "" if case.wrong else f" ({duration(case.seconds)})"
    return f"{counted(len(case.readers), 'model')}{took}"


def _columns(case: _Case) -> str:
    """By name where they are few, or where no entry of the page has them."""
    is_short = len(case.lacking) <= _MOST_COLUMNS or case.node.kind == "source"
    return listed(case.lacking, 2 * _MOST_COLUMNS) if is_short else counted(len(case.lacking), "column")


def _bounded(points: Sequence[Point]) -> list[Point]:
    more = len(points) - _MOST_POINTS
    return [*points[:_MOST_POINTS], *([Point(f"and {counted(more, 'more table')}")] if more > 0 else [])]


def _name(unique_id: str, project: Project) -> str:
    return project.nodes[unique_id].name if unique_id in project.nodes else unique_id
