"""The builds of the jar, from `jvm/builds.json`, the version that all of them carry, and those that a target is about.

`SPARK=4.1` in the environment names a line of Spark, `SPARK=all` all of them, and `SCALA=2.13` beside a line that has
jars for several the Scala. Without `SPARK` a target is about the line of the installed pyspark, and a package is about
all lines.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILDS_FILE = ROOT / "jvm" / "builds.json"
VERSION_FILE = ROOT / "dbt" / "adapters" / "adaptive_spark" / "__version__.py"
JAR_DIRECTORY = ROOT / "dbt" / "include" / "adaptive_spark" / "jars"


@dataclass(frozen=True)
class Build:
    """A Spark line that a jar is built for; `shims` are folders below `jvm/src/main`, some below `jvm/src/test`.

    Spark's jars are those of pyspark on PyPI, or else what the coordinates `jars` bring from Maven Central, in the
    versions that the project `versions` has.
    A build whose `state` is `unproven` is compiled and tested, and no package has its jar unless `SPARK` names it.
    """

    spark: str
    pyspark: str
    scala: str
    scala_version: str
    shims: tuple[str, ...]
    jars: tuple[str, ...] = ()
    versions: str | None = None
    state: str = "proven"

    @property
    def name(self) -> str:
        """E.g. `adaptive-spark_4.3_2.13`."""
        return f"adaptive-spark_{self.spark}_{self.scala}"

    @property
    def named(self) -> dict[str, str]:
        """The environment in which a target is about this build."""
        return {"SPARK": self.spark, "SCALA": self.scala}

    @property
    def jar(self) -> Path:
        """Where the build leaves its jar, and the adapter finds it."""
        return JAR_DIRECTORY / f"{self.name}.jar"


def builds() -> list[Build]:
    """The builds whose jars a package has. The first is of the pyspark that the development environment pins."""
    return [build for build in every_build() if build.state == "proven"]


def every_build() -> list[Build]:
    """The builds that are compiled: those that no package has yet, too."""
    entries = json.loads(BUILDS_FILE.read_text())
    lists = ("shims", "jars")
    return [
        Build(**{**entry, **{key: tuple(entry[key]) for key in lists if key in entry}}) for entry in entries
    ]


def installed() -> Build:
    """The build for the installed pyspark. Exits where there is none."""
    return _of_line(importlib.metadata.version("pyspark"), "The installed pyspark")


def oldest() -> Build:
    """The build for the oldest line that a package has a jar for."""
    return builds()[-1]


def chosen() -> list[Build]:
    """The builds that a target is about. Exits where `SPARK` names no line."""
    return [installed()] if _named() is None else packaged()


def the_line(example: str) -> Build:
    """The build for the line that `SPARK` names. Exits with `example`, a command, where it names none, or several."""
    named = chosen()
    if _named() is None or len(named) != 1:
        sys.exit(f"Say which line: {example}")
    return named[0]


def packaged() -> list[Build]:
    """The builds whose jars a package carries. Exits where `SPARK` names no line."""
    named = _named()
    return builds() if named is None or named == "all" else [_of_line(named, "SPARK")]


def _named() -> str | None:
    return os.environ.get("SPARK") or None


def _of_line(release: str, source: str) -> Build:
    """The build for a line, such as 4.1, or for a release of it, such as 4.1.4, and for the Scala of PyPI's pyspark
    unless `SCALA` names another."""
    known = every_build()
    of_line = [each for each in known if release == each.spark or release.startswith(f"{each.spark}.")]
    if not of_line:
        lines = ", ".join(dict.fromkeys(build.spark for build in known))
        sys.exit(f"{source} is {release}, and there is no build for that line. There are builds for {lines}.")
    scala = os.environ.get("SCALA")
    for build in of_line:
        if build.scala == scala or (not scala and not build.jars):
            return build
    scalas = ", ".join(build.scala for build in of_line)
    sys.exit(
        f"SCALA is {scala}, and there is no build of Spark {of_line[0].spark} for it. There are builds for {scalas}."
    )


def version() -> str:
    """The version of package and jars, e.g. `0.1.0`."""
    return str(runpy.run_path(str(VERSION_FILE))["version"])
