"""The builds of the jar, from `jvm/builds.json`, and the version that all of them carry."""

from __future__ import annotations

import json
import runpy
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILDS_FILE = ROOT / "jvm" / "builds.json"
VERSION_FILE = ROOT / "dbt" / "adapters" / "adaptive_spark" / "__version__.py"
JAR_DIRECTORY = ROOT / "dbt" / "include" / "adaptive_spark" / "jars"


@dataclass(frozen=True)
class Build:
    """One Spark line that a jar is built for; `shims` are folders under `jvm/src/main`."""

    spark: str
    pyspark: str
    scala: str
    scala_version: str
    shims: tuple[str, ...]

    @property
    def name(self) -> str:
        """E.g. `adaptive-spark_4.3_2.13`."""
        return f"adaptive-spark_{self.spark}_{self.scala}"

    @property
    def jar(self) -> Path:
        """Where the build leaves its jar, and the adapter finds it."""
        return JAR_DIRECTORY / f"{self.name}.jar"


def builds() -> list[Build]:
    """Every build; the first is the default, whose pyspark the development environment has."""
    entries = json.loads(BUILDS_FILE.read_text())
    return [Build(**{**entry, "shims": tuple(entry["shims"])}) for entry in entries]


def version() -> str:
    """The version of package and jars, e.g. `0.1.0`."""
    return str(runpy.run_path(str(VERSION_FILE))["version"])
