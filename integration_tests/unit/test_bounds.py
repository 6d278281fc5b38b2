"""The versions that pip may install with the package work with it: Sparks that have a jar, Pythons that Spark takes."""

from packaging.requirements import Requirement

from build_support.builds import builds
from build_support.project import declared, project

PROJECT = project()


def test_the_session_extra_takes_exactly_the_sparks_that_have_a_jar():
    (pyspark,) = map(Requirement, PROJECT["optional-dependencies"]["session"])
    lines = {build.spark for build in builds()}
    # 3.5 is the last of Spark 3
    minors = {3: range(6), 4: range(20), 5: range(20)}
    possible = [f"{major}.{minor}" for major in minors for minor in minors[major]]
    assert lines == {line for line in possible if f"{line}.0" in pyspark.specifier}
    assert all(build.pyspark in pyspark.specifier for build in builds())


def test_types_and_rules_are_checked_for_the_oldest_python_that_the_package_takes():
    tools = declared()["tool"]
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert tools["mypy"]["python_version"] == oldest
    assert tools["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
