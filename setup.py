"""Packaging beyond pyproject.toml: the version, the namespace packages, and no package without its jars."""

import sys
import zipfile
from pathlib import Path
from typing import Any

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import SetupError

sys.path.insert(0, str(Path(__file__).resolve().parent))  # an isolated build does not put it there

from build_support.builds import packaged, version


def require_jars() -> None:
    """Raises SetupError unless each jar of the package is there and was built for this version."""
    for build in packaged():
        if not build.jar.is_file():
            raise SetupError(
                f"{build.jar.name} is missing, and the package is no use without it: run `make jars SPARK=all` first."
            )
        with zipfile.ZipFile(build.jar) as jar:
            properties = jar.read("io/adaptivespark/build.properties").decode().split()
        if f"version={version()}" not in properties:
            raise SetupError(
                f"{build.jar.name} was not built for version {version()}: run `make jars SPARK=all` first."
            )


class BuildWithJars(build_py):
    """An editable install may come before the jars: the Makefile makes it first."""

    def run(self) -> None:
        if not self.editable_mode:
            require_jars()
        super().run()


class SdistWithJars(sdist):
    """The source distribution carries the jars, too, so that it installs without Maven."""

    def run(self) -> None:
        require_jars()
        super().run()


COMMANDS: dict[str, Any] = {"build_py": BuildWithJars, "sdist": SdistWithJars}

setup(
    version=version(),
    packages=[
        # `dbt` and `dbt.adapters` are dbt-core's and dbt-adapters' own, so the search starts below them
        *(f"dbt.adapters.{name}" for name in find_packages("dbt/adapters")),
        "dbt.include.adaptive_spark",
    ],
    package_data={
        "dbt.adapters.adaptive_spark": ["py.typed"],
        "dbt.include.adaptive_spark": [
            "*.yml",
            "*.json",
            "*.properties",
            "macros/**/*.sql",
            "report/*",
            *(f"jars/{build.jar.name}" for build in packaged()),
        ],
    },
    include_package_data=False,
    cmdclass=COMMANDS,
)
