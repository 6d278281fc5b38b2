"""`make test-spark SPARK=4.0`: the suites on a line of Spark, in an environment of its own that has that pyspark.

How they ended is written into `jvm/tested/`, to be committed; `line_table` makes the table of the docs from it.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

from build_support import line_table
from build_support.builds import ROOT, Build, chosen
from build_support.environments import ensure, pip, python_of
from build_support.outcomes import Outcome, outcome
from build_support.scalatest import reports
from build_support.test import report

EXTRAS = "session,thrift,dev"
GROUPS = ("joins", "rest")
FOLDERS = ("session", "functional", "engine", "example")
# What an editable install without isolation builds the package with.
BUILDERS = ("setuptools", "wheel")


def environment(build: Build) -> Path:
    """An environment with the build's pyspark and this checkout, which is kept until its packages change.

    Raises CalledProcessError where pip finds none.
    """
    folder = ROOT / "build" / f"spark-{build.spark}-{build.scala}"
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    bounds = [line for line in pinned if not line.startswith("pyspark==")] + [f"pyspark=={build.pyspark}"]
    file = folder.with_name(f"{folder.name}.txt")
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(bounds), encoding="utf-8")
    command = [*pip(folder), "--constraint", str(file)]
    ensure(
        folder,
        [*bounds, (ROOT / "pyproject.toml").read_text(encoding="utf-8")],
        [*command, *(f"{name}=={importlib.metadata.version(name)}" for name in BUILDERS)],
        [*command, "--no-build-isolation", "--editable", f"{ROOT}[{EXTRAS}]"],
    )
    return folder


def commit() -> str:
    """The short name of the checkout's commit. Exits where files differ from it, save those that this writes."""
    ours = [f":!{file.relative_to(ROOT)}" for file in (line_table.RESULTS, line_table.PAGE)]
    changed = subprocess.check_output(["git", "status", "--porcelain", "--", ".", *ours], cwd=ROOT, text=True)
    if changed:
        sys.exit(
            f"Commit first: the results name the commit that was tested, and these files differ:\n{changed}"
        )
    return subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True).strip()


def written(outcomes: dict[str, Outcome], build: Build, at: str) -> Path:
    """Writes a build's result file, which says what ran, and at which commit."""
    file = line_table.result(build)
    file.parent.mkdir(exist_ok=True)
    suites = {
        name: {"passed": each.passed, "failed": each.failed, "skipped": each.skipped}
        for name, each in outcomes.items()
    }
    text = json.dumps({"pyspark": build.pyspark, "commit": at, "suites": suites}, indent=2)
    file.write_text(f"{text}\n", encoding="utf-8")
    return file


def _reports(build: Build) -> dict[str, list[Path]]:
    """The JUnit reports that there are, by suite."""
    folders = {name: [file for file in [report(name, build)] if file.is_file()] for name in FOLDERS}
    return {"scala": [file for name in GROUPS for file in reports(build, name)], **folders}


def main() -> int:
    """1 if a test failed; exits where `SPARK` names no line, or several."""
    builds = chosen()
    if not os.environ.get("SPARK") or len(builds) != 1:
        sys.exit("Say which line: make test-spark SPARK=4.0")
    (build,) = builds
    at = commit()
    python = python_of(environment(build))
    for file in (each for files in _reports(build).values() for each in files):
        file.unlink()
    stages = [*(f"ScalaTest-{name}" for name in GROUPS), *FOLDERS]
    code = subprocess.run([python, "-m", "build_support.test", *stages], cwd=ROOT).returncode
    outcomes = {name: outcome(files) for name, files in _reports(build).items() if files}
    print(
        f"Wrote {written(outcomes, build, at).relative_to(ROOT)}. Commit it with {line_table.write().relative_to(ROOT)}."
    )
    return code


if __name__ == "__main__":
    sys.exit(main())
