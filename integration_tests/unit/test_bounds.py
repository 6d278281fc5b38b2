"""The versions that pip may install with the package work with it: Sparks that have a jar, Pythons that Spark takes."""

import pytest
from packaging.requirements import Requirement

from build_support.builds import builds
from build_support.project import declared, project
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

PROJECT = project()
# 3.5 is the last of Spark 3
_MINORS = {3: range(6), 4: range(20), 5: range(20)}
POSSIBLE = [f"{major}.{minor}" for major, minors in _MINORS.items() for minor in minors]


def pyspark_of(extra):
    (found,) = map(Requirement, PROJECT["optional-dependencies"][extra])
    return found


def lines_of(pyspark):
    return {line for line in POSSIBLE if f"{line}.0" in pyspark.specifier}


def test_the_session_extra_takes_exactly_the_sparks_that_have_a_jar():
    pyspark = pyspark_of("session")
    lines = {build.spark for build in builds()}
    assert lines == lines_of(pyspark)
    assert all(build.pyspark in pyspark.specifier for build in builds())


@pytest.mark.parametrize("name", FORMATS)
def test_the_extra_of_a_format_takes_exactly_the_sparks_that_it_has_releases_for(name):
    assert {line.spark for line in FORMATS[name].releases} == lines_of(pyspark_of(name))


def test_types_and_rules_are_checked_for_the_oldest_python_that_the_package_takes():
    tools = declared()["tool"]
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert tools["mypy"]["python_version"] == oldest
    assert tools["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
