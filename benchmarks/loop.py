"""How long a developer waits: from saving a file to the first test's result and to the suite's end, for `make check`,
and for each stage of `make test`.

Each part runs in a clone of the last commit, with an environment and classes of its own; a change that is saved there
is a line of code more. `nothing` is the control: the same command where nothing changed. PARTS='scala check' leaves out
`test`, which takes an hour; the other parts' results stay. `build/loop/` has what the makes printed.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_support.builds import ROOT
from measure import RESULTS

PRINTED = ROOT / "build" / "loop"
SCALA = "jvm/src/main/scala/io/adaptivespark"
SUITES = "jvm/src/test/scala/io/adaptivespark"
ADAPTER = "dbt/adapters/adaptive_spark"
INCLUDE = "dbt/include/adaptive_spark"
ROUNDS = 3
# A test's own line, or those of a stage that ended; colours aside.
TEST = re.compile(r"^(?:\x1b\[\d+m)?- ")
STAGE = re.compile(r"^(\S.*?) +(\d+\.\d) s  (ok|FAILED.*)$")


@dataclass(frozen=True)
class Saved:
    """A line that is put before the first line of a file which begins with `before`, or at its end."""

    file: str
    line: str
    before: str = ""

    @contextmanager
    def within(self, clone: Path) -> Iterator[None]:
        """The file is as it was afterwards."""
        path = clone / self.file
        text = path.read_text(encoding="utf-8")
        at = re.search(f"^{re.escape(self.before)}", text, re.MULTILINE) if self.before else None
        place = at.start() if at else len(text)
        path.write_text(f"{text[:place]}{self.line}\n{text[place:]}", encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")


# By name, what is saved and the suite that is asked for. An object's member changes its file alone; a member of a
# trait all that extend it, and what uses those.
SCALA_CHANGES = {
    "leaf, a suite without Spark": (
        Saved(f"{SCALA}/filter/order/RankPolicy.scala", "private object Saved { def count: Int = %d }"),
        "filter.order.RankPolicySuite",
    ),
    "leaf, a suite with Spark": (
        Saved(f"{SCALA}/aqe/RecordPlanChanges.scala", "private object Saved { def count: Int = %d }"),
        "aqe.RecordPlanChangesSuite",
    ),
    "root, a suite with Spark": (
        Saved(f"{SCALA}/scan/ScanKind.scala", "  def saved%d: Int = 0\n", before="  def scan: SparkPlan"),
        "scan.ScanKindSuite",
    ),
}
CHECKED = {
    "a Scala leaf": Saved(f"{SCALA}/aqe/RecordPlanChanges.scala", "// saved"),
    "a Scala suite": Saved(f"{SUITES}/filter/order/RankPolicySuite.scala", "// saved"),
    "a Python module": Saved(f"{ADAPTER}/model/hints.py", "\n\n# saved"),
    "a macro": Saved(f"{INCLUDE}/macros/statistics.sql", "{# saved #}"),
    "a page of the docs": Saved("docs/recipes.md", "Saved."),
}


@contextmanager
def cloned() -> Iterator[Path]:
    """The last commit, of which nothing is built."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        run(ROOT, "git", "clone", "--quiet", str(ROOT), str(clone))
        yield clone


def run(folder: Path, *command: str) -> str:
    """The output of a command. Raises CalledProcessError where it fails, which has its output."""
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env=environment()
    ).stdout


def environment() -> dict[str, str]:
    """Without what this program's make tells the makes below it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}


def scala(clone: Path) -> list[dict[str, Any]]:
    """Seconds to the first test's result, and to the end, by change."""
    run(clone, "make", "scalatest", "ARGS=-s io.adaptivespark.SeedsSuite")  # makes and compiles all
    cases = []
    for name, (saved, suite) in SCALA_CHANGES.items():
        changed, unchanged = [], []
        for count in range(ROUNDS):
            numbered = Saved(saved.file, saved.line % count, saved.before)
            with numbered.within(clone):
                changed.append(suite_seconds(clone, suite))
                unchanged.append(suite_seconds(clone, suite))
        first, end = (statistics.median(column) for column in zip(*changed, strict=True))
        nothing = [round(end, 1) for _, end in unchanged]
        cases.append(
            {
                "case": name,
                "suite": suite,
                "first_result_s": round(first, 1),
                "end_s": round(end, 1),
                "nothing_s": statistics.median(nothing),
                "nothing_range_s": [min(nothing), max(nothing)],
            }
        )
    return cases


def suite_seconds(clone: Path, suite: str) -> tuple[float, float]:
    """Until the first test's result is printed, and until the end."""
    started, first = time.monotonic(), None
    command = ["make", "scalatest", f"ARGS=-s io.adaptivespark.{suite}"]
    with subprocess.Popen(
        command, cwd=clone, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if first is None and TEST.match(line):
                first = time.monotonic() - started
    assert process.returncode == 0 and first is not None, "".join(lines)
    return first, time.monotonic() - started


def check(clone: Path) -> list[dict[str, Any]]:
    """Seconds of `make check` by change, and what it ran."""
    cases = []
    with CHECKED["a Scala leaf"].within(clone):  # makes the environment, and compiles all lines of Spark once
        stages_of(clone, "check", "first")
    for name, saved in CHECKED.items():
        with saved.within(clone):
            ended = stages_of(clone, "check", name)
        cases.append({"case": name, **ended})
    return cases


def test(clone: Path) -> list[dict[str, Any]]:
    """Seconds of `make test`, together and by stage, with all that it builds."""
    return [{"case": "make test", **stages_of(clone, "test", "test")}]


def stages_of(clone: Path, target: str, case: str) -> dict[str, Any]:
    """Seconds of a make target, and of its stages. A failed stage is named, and stops nothing."""
    started = time.monotonic()
    ran = subprocess.run(["make", target], cwd=clone, env=environment(), capture_output=True, text=True)
    seconds = round(time.monotonic() - started, 1)
    PRINTED.mkdir(parents=True, exist_ok=True)
    (PRINTED / f"{case}.log").write_text(ran.stdout + ran.stderr, encoding="utf-8")
    found = [match for line in ran.stdout.splitlines() if (match := STAGE.match(line))]
    assert found, ran.stdout + ran.stderr
    return {
        "seconds": seconds,
        "stages": {match[1]: float(match[2]) for match in found},
        "failed": sorted({match[1] for match in found if match[3] != "ok"}),
    }


PARTS = {"scala": scala, "check": check, "test": test}


def main() -> int:
    """1 if a stage failed."""
    path = RESULTS / "loop.json"
    parts = os.environ.get("PARTS", " ".join(PARTS)).split()
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for part in parts:
        with cloned() as clone:
            commit = run(clone, "git", "rev-parse", "--short", "HEAD").strip()
            cases = PARTS[part](clone)
        found[part] = {"commit": commit, "cores": os.cpu_count(), "cases": cases}
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        print(json.dumps(found[part], indent=2), flush=True)
    return 1 if any(case.get("failed") for part in parts for case in found[part]["cases"]) else 0


if __name__ == "__main__":
    sys.exit(main())
