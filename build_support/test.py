"""`make test`: the Scala suites, then each folder of integration_tests in a Python of its own, then the oldest versions
that pyproject.toml allows (`lowest`); ONLY=unit for some.

One Spark, and with it one Derby metastore, fits into a process; so every folder gets its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from build_support import scalatest
from build_support.builds import ROOT
from build_support.stages import Stage, module, run, select

FOLDER = ROOT / "integration_tests"
# The quick ones first; folders that are not named here come last.
ORDER = ["unit", "report", "example", "session", "engine", "functional", "packaging"]
# What must be there before a folder's tests, and sees to that itself.
FIRST = {"report": Stage("chromium", module("build_support.chromium"))}
# Bounds each Spark driver that does not say otherwise, and keeps it off the network.
ENVIRONMENT = {
    "SPARK_DRIVER_MEMORY": "2g",
    "SPARK_LOCAL_IP": "127.0.0.1",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
}
# Where a Spark is started for nearly every test, HotSpot's second compiler costs more than it gives back: a fifth of the time.
SHORT_LIVED = {"session": {"SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1"}}


def folders() -> list[str]:
    """The folders of integration_tests that hold tests, in the order they run."""
    found = {file.relative_to(FOLDER).parts[0] for file in FOLDER.glob("*/**/test_*.py")}
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def stages() -> list[Stage]:
    """All of them; pytest's own 5, no test ran, is a failure like any other."""

    def stage(name: str) -> Stage:
        environment = {**ENVIRONMENT, **SHORT_LIVED.get(name, {}), **os.environ}
        return Stage(name, module("pytest", f"integration_tests/{name}"), environment)

    scala = Stage("ScalaTest", module("build_support.scalatest"), failures=scalatest.failures)
    lowest = Stage("lowest", module("build_support.lowest"), {**ENVIRONMENT, **os.environ})
    return [scala, *map(stage, folders()), lowest]


def prepared(chosen: Sequence[Stage]) -> list[Stage]:
    """The same, each after what it needs."""
    return [each for stage in chosen for each in (FIRST.get(stage.name), stage) if each is not None]


if __name__ == "__main__":
    sys.exit(run(prepared(select(stages(), sys.argv[1:]))))
