"""The parts of `make lint` and `make test` that a change can break, as `make check` runs them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from build_support import python_reach, scala_reach

ADAPTER = "dbt/adapters/adaptive_spark/"
INCLUDE = "dbt/include/adaptive_spark/"
TESTS = "integration_tests/"
# One model through dbt, Spark and the jar.
ONE_MODEL = f"{TESTS}functional/test_basic.py::TestSingularTests"
# Python tests that meet Scala code through the jar: by package, those below it included.
THROUGH_THE_JAR = {
    "conf": f"{TESTS}engine/test_conf_values.py",
    "filter": f"{TESTS}engine/test_initial_order.py",
    "function": f"{TESTS}session/test_statistics.py",
    "schema": f"{TESTS}session/test_statistics.py",
    "analyze": f"{TESTS}session/test_analyze.py",
    "freshness": f"{TESTS}session/test_reads_after_writes.py",
    "aqe": f"{TESTS}session/test_adaptive_execution.py",
}
# Tests of macros beyond one model.
OF_MACROS = {
    "bulk_filter.sql": f"{TESTS}session/test_bulk_filter.py",
    "seeds.sql": f"{TESTS}functional/test_seeds.py",
    "statistics.sql": f"{TESTS}session/test_analyze.py",
    "hints.sql": f"{TESTS}session/test_configs.py",
    "report.sql": f"{TESTS}session/test_project.py",
    "filter_order.sql": f"{TESTS}session/test_memory.py",
}
# The module that reads the facts which the jar exports as JSON.
FACTS = f"{ADAPTER}conf/extension_facts.py"
_PYTHON_LINT = {"ruff-check", "ruff-format"}


@dataclass(frozen=True)
class Selection:
    """Stages of lint, Scala suites by full name, and pytest's arguments; all of them where `everything` says why."""

    lint: frozenset[str] = frozenset()
    suites: frozenset[str] = frozenset()
    tests: frozenset[str] = frozenset()
    everything: str = ""


def select(changed: Collection[str], sources: Mapping[str, str]) -> Selection:
    """The selection for changed paths; `sources` has the text of each Python and Scala file by its path."""
    unknown = sorted(path for path in changed if not _is_known(path))
    if unknown:
        return Selection(everything=f"{unknown[0]} may change how anything is built or tested")
    lint: set[str] = set()
    tests: set[str] = set()
    python = [path for path in changed if path.endswith(".py")]
    scala = [path for path in changed if path.endswith(".scala")]
    if any(path.endswith(".md") for path in changed):
        lint.add("markdown")
    if any(path.startswith("docs/reference/") for path in changed):
        lint.add("config-docs")
    if scala:
        lint |= {"scala", "config-docs"}
        tests |= _through_the_jar(scala)
    if any(path.startswith(scala_reach.MAIN) for path in scala):
        lint.add("spark-lines")
    if python:
        lint |= _PYTHON_LINT | {"mypy", "imports", "mypy-benchmarks"}
    tests |= _of_files(changed)
    facts = [FACTS] if any(path.startswith(INCLUDE) and path.endswith(".json") for path in changed) else []
    tests |= _of_python([*python, *facts], sources)
    if set(changed) - set(scala):
        tests.add(f"{TESTS}unit")
    return Selection(frozenset(lint), frozenset(scala_reach.suites(scala, sources)), frozenset(tests))


def _is_known(path: str) -> bool:
    if path.endswith(".scala"):
        return path.startswith((scala_reach.MAIN, scala_reach.TESTS))
    code = path.startswith((ADAPTER, INCLUDE, TESTS, "benchmarks/", "examples/"))
    return path.endswith(".md") or (code and path != "benchmarks/requirements.txt")


def _through_the_jar(scala: Collection[str]) -> set[str]:
    packages = {scala_reach.package(path) for path in scala if path.startswith(scala_reach.MAIN)}
    if not packages:
        return set()
    within = {
        each: file
        for each, file in THROUGH_THE_JAR.items()
        if any(f"{p}.".startswith(f"{each}.") for p in packages)
    }
    return {ONE_MODEL, *within.values()}


def _of_files(changed: Collection[str]) -> set[str]:
    """Tests of files that nothing imports: macros, the report's page, the example."""
    found = set()
    for path in changed:
        name = PurePosixPath(path).name
        if path.startswith(f"{INCLUDE}report/"):
            found.add(f"{TESTS}report")
        elif path.startswith(INCLUDE):
            found |= {ONE_MODEL, OF_MACROS.get(name, ONE_MODEL)}
        elif path.startswith("examples/") and not path.endswith(".md"):
            found.add(f"{TESTS}example")
        elif path.startswith(TESTS) and not path.endswith(".py"):
            found.add("/".join(path.split("/")[:2]))
    return found


def _of_python(changed: Collection[str], sources: Mapping[str, str]) -> set[str]:
    reached = python_reach.reached(changed, sources)
    tests = {
        path for path in reached if path.startswith(TESTS) and PurePosixPath(path).name.startswith("test_")
    }
    found = {path for path in tests if path in sources and not path.startswith(f"{TESTS}unit/")}
    if f"{ADAPTER}impl.py" in reached:
        found.add(ONE_MODEL)
    if any(path.startswith(f"{ADAPTER}report/") for path in reached):
        found.add(f"{TESTS}report")
    return found
