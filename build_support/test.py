"""`make test`: the Scala suites, then each folder of integration_tests in a Python of its own; ONLY=unit for some.

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


def folders() -> list[str]:
    """The folders of integration_tests that hold tests, in the order they run."""
    found = {file.relative_to(FOLDER).parts[0] for file in FOLDER.glob("*/**/test_*.py")}
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def stages() -> list[Stage]:
    """All of them; pytest's own 5, no test ran, is a failure like any other."""
    environment = {**ENVIRONMENT, **os.environ}
    scala = Stage("ScalaTest", module("build_support.scalatest"), failures=scalatest.failures)
    return [
        scala,
        *(Stage(name, module("pytest", f"integration_tests/{name}"), environment) for name in folders()),
    ]


def prepared(chosen: Sequence[Stage]) -> list[Stage]:
    """The same, each after what it needs."""
    return [each for stage in chosen for each in (FIRST.get(stage.name), stage) if each is not None]


if __name__ == "__main__":
    sys.exit(run(prepared(select(stages(), sys.argv[1:]))))
