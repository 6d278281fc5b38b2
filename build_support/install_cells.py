"""Combinations of Python, dbt-core, extras and Spark in which `make test-installs` installs the package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from packaging.requirements import Requirement

from build_support.builds import builds
from build_support.project import project
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

_CLASSIFIER = "Programming Language :: Python :: "


@dataclass(frozen=True)
class Cell:
    """One environment: minor versions of Python and dbt-core, the package's extras, and a line of Spark.

    `dbt` is empty for the dbt-core that pip takes by itself, and `spark` for the pyspark that it takes.
    """

    name: str
    python: str
    extras: tuple[str, ...]
    dbt: str = ""
    spark: str = ""

    def requirements(self, wheel: str) -> list[str]:
        """The arguments of `pip install`."""
        package = f"{wheel}[{','.join(self.extras)}]" if self.extras else wheel
        dbt = [f"dbt-core=={self.dbt}.*"] if self.dbt else []
        return [package, *dbt, *([f"pyspark=={self.spark}.*"] if self.spark else [])]


def pythons() -> list[str]:
    """The Pythons that pyproject.toml names, the oldest first."""
    return [
        each.removeprefix(_CLASSIFIER)
        for each in project()["classifiers"]
        if each.startswith(f"{_CLASSIFIER}3.")
    ]


def dbt_cores(requirements: Sequence[str] | None = None) -> list[str]:
    """The minor versions of dbt-core that pyproject.toml allows, the oldest first."""
    declared = project()["dependencies"] if requirements is None else requirements
    (dbt,) = [each for each in map(Requirement, declared) if each.name == "dbt-core"]
    # 99: newer than any release of the minor version
    return [f"1.{minor}" for minor in range(100) if dbt.specifier.contains(f"1.{minor}.99")]


def cells(base: str) -> Iterator[Cell]:
    """Each Python with all that is newest; and with the Python `base` each older dbt-core, each older line of Spark,
    the extras of table formats, and those that bring no Spark.
    """
    for python in pythons():
        yield Cell(f"python-{python}", python, ("session", "thrift", "report"))
    for dbt in dbt_cores()[:-1]:
        yield Cell(f"dbt-{dbt}", base, ("session",), dbt=dbt)
    for build in builds()[1:]:
        if build.jars:
            continue  # pip has no Spark for it
        yield Cell(f"spark-{build.spark}", base, ("session",), spark=build.spark)
    for format_ in FORMATS:
        yield Cell(format_, base, ("session", format_))
    yield Cell("thrift", base, ("thrift",))
    yield Cell("no-extra", base, ())
