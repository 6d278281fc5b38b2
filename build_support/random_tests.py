"""`make test-random SPARK=4.1`: random filters, joins and MERGEs on a line of Spark, and all queries of TPC-DS at scale
0.1 with every kind of join, with the extension and without; SCALA=2.13 for the other of two Scalas.

ONLY='joins delta-merges' for some of them, CASES=10000 for more than by default. Each run begins with a new seed. The
cases of a kind that ended without a difference are added to those before, in `jvm/tested/`; those of a run that SEED=…
repeats are not.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from build_support import line_table
from build_support.builds import ROOT, Build, the_line
from build_support.format_jars import release
from build_support.maven import spark_jars
from build_support.outcomes import outcome
from build_support.scalatest import OURS
from build_support.spark_tests import commit
from build_support.stages import module
from build_support.test import ENVIRONMENT, report

# They take some ten minutes each.
CASES = {"trees": 10_000, "joins": 1_000, "merges": 1_000}
# As many are tried together: 50 trees with ANSI on and 50 with ANSI off, and the MERGEs of a table.
TOGETHER = {"trees": 100, "joins": 1, "merges": 5}
TPCDS = "tpcds"
_SUITES = {"trees": "filter.exec.EqualitySuite", "joins": "join.RandomJoinSuite"}
_OF_FORMATS = {"trees": "TreesSuite", "joins": "JoinSuite", "merges": "RandomMergeSuite"}


@dataclass(frozen=True)
class Kind:
    """Random cases of one kind, `trees`, `joins` or `merges`, over the tables of a format, or over Spark's own."""

    cases: str
    format: str | None = None

    @property
    def name(self) -> str:
        """E.g. `delta-merges`."""
        return "-".join(filter(None, [self.format, self.cases]))

    @property
    def suite(self) -> str:
        """The class that tries them."""
        if self.format is None:
            return f"{OURS}.{_SUITES[self.cases]}"
        return f"{OURS}.formats.random.{self.format.title()}{_OF_FORMATS[self.cases]}"

    def whole(self, cases: int) -> int:
        """The number of cases that a run tries where so many are asked for."""
        together = TOGETHER[self.cases]
        return max(cases // together, 1) * together

    def environment(self, count: int, seed: int) -> dict[str, str]:
        """For a run of `count` cases. Trees are as many with ANSI on as with ANSI off."""
        told = count // 2 if self.cases == "trees" else count
        return {self.cases.upper(): str(told), "SEED": str(seed), "HOTSPOT": "full"}


def kinds(build: Build) -> list[Kind]:
    """Those whose format has a release for the build."""
    formats = [name for name in line_table.FORMATS if release(name, build)]
    own = [Kind(cases) for cases in _SUITES]
    return [*own, *(Kind(cases, format_) for format_ in formats for cases in _OF_FORMATS)]


def _tried(build: Build, kind: Kind, at: str) -> int:
    count = kind.whole(int(os.environ.get("CASES") or CASES[kind.cases]))
    said = os.environ.get("SEED")
    seed = int(said or secrets.randbits(32))
    print(f"{kind.name}: {count} cases, SEED={seed}", flush=True)
    code = _run(module("build_support.scalatest", "-s", kind.suite), build, kind.environment(count, seed))
    if code == 0 and not said:
        line_table.add_random(build, kind.name, count, at)
    return code


def _queried(build: Build, at: str) -> int:
    """All queries of TPC-DS, which are the same each time."""
    file = report(TPCDS, build)
    file.unlink(missing_ok=True)
    home = spark_jars(build).parent
    environment = {"STRATEGIES": "all", "SPARK_HOME": str(home), "PYTHONPATH": str(home.parent)}
    code = _run(module("build_support.jars"), build, {}) or _run(
        module("pytest", "integration_tests/tpcds", f"--junitxml={file}"), build, environment
    )
    if code == 0:
        queries = outcome([file], lambda test, _: "test_a_query" in test).passed
        line_table.set_random(build, TPCDS, queries, at)
    return code


def _run(command: Sequence[str], build: Build, environment: Mapping[str, str]) -> int:
    return subprocess.run(
        command, cwd=ROOT, env={**ENVIRONMENT, **os.environ, **build.named, **environment}
    ).returncode


def main(names: Sequence[str]) -> int:
    """1 if something differed; exits where `SPARK` names no line, or several, or where `names` has an unknown kind."""
    build = the_line("make test-random SPARK=4.1")
    there = {kind.name: kind for kind in kinds(build)}
    unknown = set(names) - {*there, TPCDS}
    if unknown:
        listed = ", ".join([*there, TPCDS])
        sys.exit(f"{build.name} has no {', '.join(sorted(unknown))}. There are: {listed}.")
    at = commit()
    codes = [_tried(build, kind, at) for name, kind in there.items() if name in names or not names]
    if TPCDS in names or not names:
        codes.append(_queried(build, at))
    wrote = [line_table.result(build), line_table.write()]
    print(f"Commit {' and '.join(str(file.relative_to(ROOT)) for file in wrote)}.")
    return max(map(abs, codes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
