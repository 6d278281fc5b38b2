"""`make test`: the Scala suites, each folder of integration_tests in a Python of its own, suites on the oldest line of
Spark, a project in each table format on the newest line that has them, and the oldest versions that pyproject.toml
allows (`lowest`); ONLY=unit for some. What takes long and few changes can break has targets of its own (`APART`).

One Spark, and with it one Derby metastore, fits into a process; so every folder gets its own. Two stages run at a time,
one a core; LANES=1 runs them one after the other, with their output as it comes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from build_support import line_table, spark_start
from build_support.builds import ROOT, Build, installed, oldest
from build_support.format_jars import newest_with_formats, release
from build_support.java_options import SHORT
from build_support.maven import spark_home
from build_support.needs import (
    BENCHMARK_PACKAGES,
    CHROMIUM,
    FORMATS_JAR,
    FORMATS_SUITES,
    JAR,
    OLDEST_SUITES,
    SPARK_START,
    SUITES,
)
from build_support.outcomes import outcome
from build_support.scalatest import all_forms, failures
from build_support.stages import Need, Stage, module, run, select

FOLDER = ROOT / "integration_tests"
# The long ones first, so that none of them is left alone at the end; folders that are not named here come last.
ORDER = ["session", "functional", "tpcds", "engine", "example"]
# Projects with tables of other projects' formats, which run on the newest line that all of these have: by stage, the
# files. The first builds a project twice in each.
FORMATS = {
    "formats": ["integration_tests/session/test_table_formats.py"],
    "format-projects": [
        "integration_tests/session/test_catalogs.py",
        "integration_tests/session/test_catalog_servers.py",
        *sorted(str(file.relative_to(ROOT)) for file in (FOLDER / "session").glob("test_format_*.py")),
        "integration_tests/server/test_server_formats.py",
    ],
}
# dbt's own suite on tables of a format: TABLE_FORMAT names it.
DBT_SUITE = "table_formats"
LANES = 2
# Stages that make test leaves out, by the name that stands for them where stages are named: a make target each.
APART: Mapping[str, Sequence[str]] = {
    "on-formats": ("ScalaTest-formats", "format-projects", *line_table.DBT.values()),
    "on-servers": ("server", "cluster"),
    "packaging": ("packaging",),
    "tpcds": ("tpcds",),
}
# Folders whose tests need other things than a Spark with the jar.
NEEDS: Mapping[str, Sequence[Need]] = {
    "unit": (),
    "report": (CHROMIUM,),
    "tpcds": (JAR, SPARK_START, BENCHMARK_PACKAGES),
}
SPARK_WITH_JAR = (JAR, SPARK_START)
# Bounds each Spark driver that does not say otherwise, and keeps it off the network.
ENVIRONMENT = {
    "SPARK_DRIVER_MEMORY": "2g",
    "SPARK_SUBMIT_OPTS": SHORT,
    "SPARK_LOCAL_IP": "127.0.0.1",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
}


def folders() -> list[str]:
    """The folders of integration_tests that hold tests, in the order they run; without those of table formats."""
    found = {file.relative_to(FOLDER).parts[0] for file in FOLDER.glob("*/**/test_*.py")}
    found.remove(DBT_SUITE)
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def report(name: str, build: Build) -> Path:
    """The JUnit report of a folder of integration_tests, as it ran last on a build's Spark."""
    return ROOT / "build" / "test-reports" / build.name / f"{name}.xml"


def failed(name: str, build: Build) -> list[str]:
    """The tests of a stage that failed when they last ran: none where pytest did not get as far as its report."""
    file = report(name, build)
    return list(outcome([file]).failed) if file.is_file() else []


def stages() -> list[Stage]:
    """All of them; pytest's own 5, no test ran, is a failure like any other."""
    archive = spark_start.options()

    def suites(name: str, build: Build, need: Need) -> Stage:
        return Stage(
            f"ScalaTest-{name}",
            module("build_support.scalatest", "group", name),
            {**os.environ, **build.named},
            failures=lambda: failures(name, build),
            needs=[need],
        )

    def tests(name: str) -> Stage:
        environment = {**ENVIRONMENT, "SPARK_SUBMIT_OPTS": f"{archive} {SHORT}", **os.environ}
        command = module("pytest", f"integration_tests/{name}", f"--junitxml={report(name, installed())}")
        return Stage(
            name,
            command,
            environment,
            failures=lambda: failed(name, installed()),
            needs=NEEDS.get(name, SPARK_WITH_JAR),
        )

    newest = [suites(name, installed(), SUITES) for name in ("joins", "rest")]
    lake = newest_with_formats()

    def in_formats(name: str) -> Stage:
        return Stage(
            name,
            module("pytest", *FORMATS[name], f"--junitxml={report(name, lake)}"),
            {**ENVIRONMENT, **os.environ, "SPARK_HOME": str(spark_home(lake))},
            failures=lambda: failed(name, lake),
            needs=[FORMATS_JAR],
        )

    def on_format(name: str) -> Stage:
        """On the installed Spark, or the newest that has a release of the format, and there without repetition."""
        is_here = release(name, installed()) is not None
        chosen = [] if is_here or all_forms() else ["-m", "not repeated"]
        build, stage = installed() if is_here else lake, line_table.DBT[name]
        environment = {**ENVIRONMENT, **os.environ, "TABLE_FORMAT": name}
        if not is_here:
            environment["SPARK_HOME"] = str(spark_home(lake))
        return Stage(
            stage,
            module("pytest", f"integration_tests/{DBT_SUITE}", *chosen, f"--junitxml={report(stage, build)}"),
            environment,
            failures=lambda: failed(stage, build),
            needs=[JAR if is_here else FORMATS_JAR],
        )

    lowest = Stage("lowest", module("build_support.lowest"), {**ENVIRONMENT, **os.environ})
    # the long ones first, as in ORDER
    of_formats = [
        suites("formats", lake, FORMATS_SUITES),
        *map(in_formats, FORMATS),
        *map(on_format, line_table.DBT),
    ]
    of_oldest = suites("oldest", oldest(), OLDEST_SUITES)
    return [*newest, *of_formats, *map(tests, folders()), of_oldest, lowest]


def of_each_change() -> list[Stage]:
    """Those of make test."""
    apart = {name for names in APART.values() for name in names}
    return [stage for stage in stages() if stage.name not in apart]


def main(names: list[str]) -> int:
    """1 if a stage failed."""
    named = [stage for name in names for stage in APART.get(name, [name])]
    chosen = select(stages(), named) if named or all_forms() else of_each_change()
    return run(chosen, lanes=int(os.environ.get("LANES", LANES if len(chosen) > 1 else 1)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
