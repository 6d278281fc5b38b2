"""`make test-spark SPARK=4.0`: the suites on a line of Spark, in an environment of its own that has that pyspark;
SCALA=2.13 for the other of two Scalas.

How they ended is written into `jvm/tested/`, to be committed; `line_table` makes the table of the docs from it. With
ONLY='scala session' these run, and the results of the others stay, each with the commit that it is of.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from build_support import line_table
from build_support.builds import ROOT, Build, the_line
from build_support.environments import ensure, pip, python_of
from build_support.format_jars import release
from build_support.maven import spark_jars
from build_support.outcomes import Outcome, outcome
from build_support.scalatest import reports
from build_support.test import report

EXTRAS = "session,thrift,dev"
SCALA = "scala"
GROUPS = ("joins", "rest")
# Suites with tests of table formats.
WITH_FORMATS = (SCALA, "session")
# What an editable install without isolation builds the package with.
BUILDERS = ("setuptools", "wheel")
# Each release of pyspark wants one release of Py4J.
OF_PYSPARK = ("pyspark==", "py4j==")


def environment(build: Build) -> Path:
    """An environment with the build's pyspark and this checkout, which is kept until its packages change.

    Raises CalledProcessError where pip finds none.
    """
    folder = ROOT / "build" / f"spark-{build.spark}-{build.scala}"
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    bounds = [line for line in pinned if not line.startswith(OF_PYSPARK)] + [f"pyspark=={build.pyspark}"]
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
    """Writes into a build's result file how suites ended, and at which commit."""
    now = {
        name: {"commit": at, "passed": each.passed, "failed": each.failed, "skipped": each.skipped}
        for name, each in outcomes.items()
    }
    return line_table.save(build, "suites", now)


def _reports(build: Build, names: Sequence[str]) -> dict[str, list[Path]]:
    """The JUnit reports that there are, by suite."""
    return {
        name: [file for group in GROUPS for file in reports(build, group)]
        if name == SCALA
        else [file for file in [report(name, build)] if file.is_file()]
        for name in names
    }


def _is_of(format_: str, test: str) -> bool:
    """True of a test whose suite is named for a table format, or whose parameter it is."""
    return re.search(rf"\.{format_}\w*Suite: |\[{format_}[-\]]", test, re.IGNORECASE) is not None


def outcomes(files_of: dict[str, list[Path]], build: Build) -> dict[str, Outcome]:
    """How suites ended, by their reports, without what was skipped since a format has no release for the build; and
    where all suites that have tests of formats ran, how each format's ended.
    """
    lacking = [name for name in line_table.FORMATS if release(name, build) is None]

    def counts(test: str, is_skipped: bool) -> bool:
        return not (is_skipped and any(_is_of(each, test) for each in lacking))

    suites = {name: outcome(files, counts) for name, files in files_of.items() if files}
    if not suites.keys() >= {*WITH_FORMATS}:
        return suites
    files = [file for name in WITH_FORMATS for file in files_of[name]]

    def of(format_: str) -> Outcome:
        return outcome(files, lambda test, _: _is_of(format_, test))

    return {**suites, **{name: of(name) for name in line_table.FORMATS if name not in lacking}}


def main(names: Sequence[str]) -> int:
    """1 if a test failed; exits where `SPARK` names no line, or several, or where `names` has an unknown suite."""
    build = the_line("make test-spark SPARK=4.0")
    there = line_table.suites_of(build)
    unknown = set(names) - set(there)
    if unknown:
        sys.exit(f"{build.name} has no {', '.join(sorted(unknown))}. There are: {', '.join(there)}.")
    at = commit()
    python = python_of(environment(build))
    chosen_suites = [name for name in there if name in names or not names]
    for file in (each for files in _reports(build, chosen_suites).values() for each in files):
        file.unlink()
    stages = [
        stage
        for name in chosen_suites
        for stage in ([f"ScalaTest-{group}" for group in GROUPS] if name == SCALA else [name])
    ]
    # pyspark runs on its own jars unless it is told of others.
    other = {"SPARK_HOME": str(spark_jars(build).parent)} if build.jars else {}
    command = [python, "-m", "build_support.test", *stages]
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, **build.named, **other}).returncode
    ended = outcomes(_reports(build, chosen_suites), build)
    print(
        f"Wrote {written(ended, build, at).relative_to(ROOT)}. Commit it with {line_table.write().relative_to(ROOT)}."
    )
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
