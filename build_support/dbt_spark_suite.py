"""`make test-dbt-spark`: dbt-spark's own functional tests on Delta Lake, with dbt-spark and with this adapter.

They are of the release of dbt-spark that is installed, whose source distribution has them. How each test ended with
either adapter is written down, to be committed; the section of the docs is made from it. A test that passes with
dbt-spark alone is a failure.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from build_support.builds import ROOT, Build
from build_support.format_jars import format_jars, newest_with_formats
from build_support.generated_table import replaced, update
from build_support.maven import spark_jars
from build_support.needs import FORMATS_JAR
from build_support.outcomes import ended_by_test
from build_support.test import ENVIRONMENT, FOLDER

TYPES = ("spark", "adaptive_spark")
TITLES = {"spark": "dbt-spark", "adaptive_spark": "dbt-adaptive-spark"}
PLUGIN = FOLDER / "dbt_spark" / "of_this_machine.py"
RESULTS = FOLDER / "dbt_spark" / "ended.json"
PAGE = ROOT / "docs" / "how-to" / "use-table-formats.md"
BEGIN, END = "<!-- from integration_tests/dbt_spark/ended.json -->", "<!-- end of dbt-spark's tests -->"
# A connection in dbt's own process has no query_timeout, and its query would not end.
LEFT_OUT = ("tests/functional/adapter/test_query_timeout.py",)
PASSED = "passed"
# pytest's code of a run to its end in which tests failed
_SOME_FAILED = 1


def suite(release: str) -> Path:
    """The folder of a release's source distribution, fetched from PyPI unless it is there.

    Raises CalledProcessError where pip does not find it.
    """
    folder = ROOT / "build" / f"dbt_spark-{release}"
    folder.parent.mkdir(exist_ok=True)
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=folder.parent) as fetched:
            sources = ["--no-deps", "--no-binary", ":all:", f"dbt-spark=={release}"]
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", fetched, *sources]
            subprocess.run(command, check=True)
            (archive,) = Path(fetched).glob("*.tar.gz")
            with tarfile.open(archive) as files:
                files.extractall(fetched, filter="data")
            Path(fetched, folder.name).rename(folder)
    return folder


def ended(type_: str, tests: Path, build: Build) -> dict[str, str]:
    """How each test ended under a type of profile on a build's Spark: passed, failed, skipped.

    Exits where pytest did not run them to their end.
    """
    report = ROOT / "build" / "test-reports" / f"dbt-spark-{type_}.xml"
    report.unlink(missing_ok=True)
    jars = spark_jars(build)
    environment = {
        **ENVIRONMENT,
        **os.environ,
        "SPARK_HOME": str(jars.parent),
        # dbt-spark starts the pyspark that Python imports
        "PYTHONPATH": os.pathsep.join(map(str, (jars.parent.parent, PLUGIN.parent, FOLDER))),
        "FORMAT_JARS": ",".join(map(str, format_jars(build))),
        "DBT_TYPE": type_,
        # their fixtures read it as they are imported
        "DBT_DATABRICKS_HOST_NAME": "nowhere.invalid",
    }
    options = [
        "-o",
        "addopts=",
        "-p",
        PLUGIN.stem,
        f"--junitxml={report}",
        *(f"--ignore={each}" for each in LEFT_OUT),
    ]
    command = [sys.executable, "-m", "pytest", "-q", "tests/functional", *options]
    code = subprocess.run(command, cwd=tests, env=environment, check=False).returncode
    if code not in (0, _SOME_FAILED) or not report.is_file():
        sys.exit(f"pytest did not run {tests.name} to its end with {TITLES[type_]}: see its output above.")
    return ended_by_test([report])


def compared(by_type: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """The tests that pass under one type only, by that type."""
    passed = {
        type_: {name for name, how in tests.items() if how == PASSED} for type_, tests in by_type.items()
    }
    ours, theirs = passed["adaptive_spark"], passed["spark"]
    return {"spark": sorted(theirs - ours), "adaptive_spark": sorted(ours - theirs)}


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """The section of the docs."""
    yield "| Adapter | Passed | Failed | Skipped |"
    yield "|---|---|---|---|"
    for type_ in TYPES:
        how = list(results["tests"][type_].values())
        yield f"| {TITLES[type_]} | {' | '.join(str(how.count(each)) for each in (PASSED, 'failed', 'skipped'))} |"
    alone = compared(results["tests"])
    yield ""
    yield f"These are the tests of dbt-spark {results['dbt_spark']}, on Spark {results['spark']}."
    for type_ in TYPES:
        yield ""
        if alone[type_]:
            yield f"With {TITLES[type_]} alone pass:"
            yield ""
            yield from (f"- `{name.rpartition('.')[2]}`" for name in alone[type_])
        else:
            yield f"With {TITLES[type_]} alone passes none."


def page() -> str:
    """The page with the section as the results have it."""
    section = ["Not run yet."]
    if RESULTS.is_file():
        section = list(lines(json.loads(RESULTS.read_text(encoding="utf-8"))))
    return replaced(PAGE.read_text(encoding="utf-8"), BEGIN, END, section)


def run() -> int:
    """1 if a test passes with dbt-spark alone; exits where the two did not run the same tests, or none passed."""
    if (code := subprocess.run(FORMATS_JAR.command, cwd=ROOT, check=False).returncode) != 0:
        return code
    release, build = importlib.metadata.version("dbt-spark"), newest_with_formats()
    tests = suite(release)
    found = {type_: ended(type_, tests, build) for type_ in TYPES}
    if found["spark"].keys() != found["adaptive_spark"].keys():
        sys.exit("The two adapters did not run the same tests, so nothing is compared.")
    if PASSED not in found["spark"].values():
        sys.exit("No test passed with dbt-spark, so nothing is compared.")
    results = {"dbt_spark": release, "spark": build.pyspark, "tests": found}
    RESULTS.write_text(f"{json.dumps(results, indent=2, sort_keys=True)}\n", encoding="utf-8")
    update(PAGE, page(), RESULTS, [])
    lost = compared(found)["spark"]
    for name in lost:
        print(f"Passes with dbt-spark alone: {name}")
    return 1 if lost else 0


def main(arguments: Sequence[str]) -> int:
    """`--check` only compares the docs with the results; `--write` makes the docs from them."""
    return update(PAGE, page(), RESULTS, arguments) if arguments else run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
