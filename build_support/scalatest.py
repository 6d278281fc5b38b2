"""Runs the Scala suites of every build; a run without a single test is a failure."""

from __future__ import annotations

import shutil
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from build_support.builds import Build, builds
from build_support.maven import MODULE, maven


def tests_run(reports: Path) -> int:
    """How many tests the JUnit reports in a folder hold, skipped ones left out."""
    suites = [ElementTree.parse(report).getroot() for report in reports.glob("*.xml")]
    return sum(int(suite.get("tests", 0)) - int(suite.get("skipped", 0)) for suite in suites)


def failures() -> list[str]:
    """The tests that failed when they last ran: suite, test, and the first line of why."""
    found = []
    for build in builds():
        for report in sorted(_reports(build).glob("*.xml")):
            for case in ElementTree.parse(report).iter("testcase"):
                for why in (*case.iter("failure"), *case.iter("error")):
                    words = (why.get("message") or "").strip().split("\n")[0][:500]
                    found.append(f"{case.get('classname')}: {case.get('name')}: {words}")
    return found


def _reports(build: Build) -> Path:
    return MODULE / "target" / build.name / "test-reports"


def main(arguments: list[str]) -> None:
    """`arguments` go to ScalaTest's Runner, e.g. `-s io.adaptivespark.SomeSuite`."""
    for build in builds():
        reports = _reports(build)
        shutil.rmtree(reports, ignore_errors=True)
        maven(build, "test", f"-Dscalatest.args={' '.join(arguments)}")
        if tests_run(reports) == 0:
            sys.exit(f"{build.name}: ScalaTest ran no test.")


if __name__ == "__main__":
    main(sys.argv[1:])
