"""The jars of table formats of other projects, by which suites read and write such tables.

Nothing is compiled against them: suites name their classes in confs, as users do.
"""

from __future__ import annotations

from pathlib import Path

from build_support.builds import Build, builds
from build_support.maven import MODULE, fetch
from dbt.adapters.adaptive_spark.spark.installation import SparkLine
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

# What Spark has itself, and what only a catalog in a cloud needs.
LEFT_OUT = ("org.apache.hadoop", "org.apache.logging.log4j", "org.apache.parquet", "org.slf4j")


def release(format_: str, build: Build) -> str | None:
    """Maven's coordinates of a format's release for this build's Spark; None where it has none."""
    return FORMATS[format_].releases.get(SparkLine(build.spark, build.scala))


def releases(build: Build) -> list[str]:
    """Maven's coordinates of the formats that have a release for this build's Spark."""
    return [found for name in FORMATS if (found := release(name, build)) is not None]


def newest_with_formats() -> Build:
    """The build for the newest line of Spark that every format has a release for."""
    return next(build for build in builds() if len(releases(build)) == len(FORMATS))


def format_jars(build: Build) -> list[Path]:
    """The jars of all formats for this build, fetched from Maven Central unless they are there."""
    wanted = releases(build)
    folder = MODULE / "target" / f"formats-{build.spark}-{build.scala}"
    if wanted:
        fetch(wanted, folder, LEFT_OUT)
    return sorted(folder.glob("*.jar"))
