"""Maven for one build: the properties that `jvm/pom.xml` wants, from `builds.json`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from build_support.builds import ROOT, Build, builds, version

MODULE = ROOT / "jvm"


def spark_home(build: Build) -> Path:
    """The folder of the pyspark that this build names: where it is, or where `spark_jars` puts it."""
    if build.jars:
        return MODULE / "target" / f"pyspark-{build.pyspark}-{build.scala}" / "pyspark"
    if importlib.metadata.version("pyspark") == build.pyspark:
        package = importlib.util.find_spec("pyspark")
        assert package is not None and package.submodule_search_locations is not None
        return Path(package.submodule_search_locations[0])
    return MODULE / "target" / f"pyspark-{build.pyspark}" / "pyspark"


def spark_jars(build: Build) -> Path:
    """The folder of Spark's jars in the pyspark that this build names, fetched from PyPI if it is not the installed
    one. Where the build names `jars`, these stand in place of PyPI's.
    """
    home = spark_home(build)
    jars = home / "jars"
    if not jars.is_dir():
        # Only its jars are wanted: neither its dependencies nor a Python that it supports.
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-requires-python"]
        subprocess.run([*command, "--target", str(home.parent), f"pyspark=={build.pyspark}"], check=True)
    library = jars / f"scala-library-{build.scala_version}.jar"
    if build.jars:
        fetch(build.jars, jars, versions=build.versions)
    if not library.is_file():
        sys.exit(
            f"jvm/builds.json: pyspark {build.pyspark} does not come with scala-library {build.scala_version}."
        )
    return jars


def properties(build: Build) -> dict[str, str]:
    """The properties that `jvm/pom.xml` leaves open."""
    return {
        "revision": version(),
        "spark.line": build.spark,
        "spark.jars": str(spark_jars(build)),
        "spark.builds": ", ".join(f"Spark {each.spark} (Scala {each.scala})" for each in builds()),
        "spark.shims": ",".join(f"src/main/{shim}" for shim in build.shims),
        "spark.test.shims": ",".join(f"src/test/{shim}" for shim in build.shims),
        "scala.binary": build.scala,
        "scala.version": build.scala_version,
        "jar.name": build.name,
    }


def maven(build: Build, *arguments: str, quiet: bool = False) -> None:
    """Runs Maven on the module, for this build; exits with its code if it fails.

    `quiet` keeps its output for a failure.
    """
    _run([*arguments, *(f"-D{key}={value}" for key, value in properties(build).items())], quiet)


def _run(arguments: Sequence[str], quiet: bool) -> None:
    ran = subprocess.run(
        [str(MODULE / "mvnw"), "--batch-mode", "--no-transfer-progress", *arguments],
        cwd=MODULE,
        env={**os.environ, "PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT,
    )
    if ran.returncode != 0:
        if quiet:
            sys.stdout.write(ran.stdout.decode(errors="replace"))
        sys.exit(ran.returncode)


_FETCHING = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.adaptivespark</groupId><artifactId>fetched</artifactId><version>1</version><packaging>pom</packaging>
  <dependencyManagement><dependencies>{managed}</dependencies></dependencyManagement>
  <dependencies>{dependencies}</dependencies>
</project>
"""


def _dependency(release: str, more: str = "<scope>compile</scope>") -> str:
    group, artifact, number, *classifiers = release.split(":")
    told = "".join(f"<classifier>{each}</classifier>" for each in classifiers)
    return (
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{number}</version>"
        f"{told}{more}</dependency>"
    )


def fetch(
    releases: Sequence[str], folder: Path, left_out: Sequence[str] = (), versions: str | None = None
) -> None:
    """Puts the jars of `releases`, Maven's coordinates, and what they need at run time into a folder, emptied first,
    unless the folder has been given these.

    `left_out` are groups whose jars are not wanted. `versions` is a project whose own versions of libraries are taken:
    without it those of whoever names a library on the shortest way. Exits with Maven's code if it fails.
    """
    wanted = [*releases, *([] if versions is None else [versions])]
    there = folder / "fetched.txt"
    if there.is_file() and there.read_text(encoding="utf-8").split() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pom = folder / "pom.xml"
    dependencies = "".join(_dependency(release) for release in releases)
    managed = "" if versions is None else _dependency(versions, "<type>pom</type><scope>import</scope>")
    pom.write_text(_FETCHING.format(dependencies=dependencies, managed=managed), encoding="utf-8")
    copying = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
    _run(
        [
            "--file",
            str(pom),
            copying,
            f"-DoutputDirectory={folder}",
            "-DincludeScope=runtime",
            f"-DexcludeGroupIds={','.join(left_out)}",
        ],
        quiet=True,
    )
    there.write_text("\n".join(wanted), encoding="utf-8")
