"""The versions that pip may install with the package work with it: Sparks that have a jar, Pythons that Spark takes."""

import tomllib
from importlib.metadata import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from build_support.builds import ROOT, builds

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_session_extra_takes_exactly_the_sparks_that_have_a_jar():
    (pyspark,) = map(Requirement, PROJECT["optional-dependencies"]["session"])
    lines = {build.spark for build in builds()}
    possible = [f"{major}.{minor}" for major in range(3, 6) for minor in range(20)]
    assert lines == {line for line in possible if f"{line}.0" in pyspark.specifier}
    assert all(build.pyspark in pyspark.specifier for build in builds())


def test_every_python_that_the_package_takes_is_one_that_its_spark_takes():
    ours, sparks = (
        SpecifierSet(PROJECT["requires-python"]),
        SpecifierSet(metadata("pyspark")["Requires-Python"]),
    )
    pythons = [f"3.{minor}" for minor in range(8, 15)]
    taken = [each for each in pythons if each in ours]
    assert taken
    assert [each for each in taken if each not in sparks] == []
