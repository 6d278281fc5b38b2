"""Maven for one build: the properties that `jvm/pom.xml` wants, from `builds.json`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from build_support.builds import ROOT, Build, builds, version

MODULE = ROOT / "jvm"


def spark_jars(build: Build) -> Path:
    """The folder of Spark's jars in the pyspark that this build names; fetched from PyPI
    if it is not the installed one.
    """
    if importlib.metadata.version("pyspark") == build.pyspark:
        package = importlib.util.find_spec("pyspark")
        assert package is not None and package.submodule_search_locations is not None
        jars = Path(package.submodule_search_locations[0]) / "jars"
    else:
        target = MODULE / "target" / f"pyspark-{build.pyspark}"
        jars = target / "pyspark" / "jars"
        if not jars.is_dir():
            # Only its jars are wanted: neither its dependencies nor a Python that it supports.
            command = [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--ignore-requires-python",
            ]
            subprocess.run([*command, "--target", str(target), f"pyspark=={build.pyspark}"], check=True)
    if not (jars / f"scala-library-{build.scala_version}.jar").is_file():
        sys.exit(
            f"jvm/builds.json: pyspark {build.pyspark} does not ship scala-library {build.scala_version}."
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
    command = [str(MODULE / "mvnw"), "--batch-mode", "--no-transfer-progress", *arguments]
    command += [f"-D{key}={value}" for key, value in properties(build).items()]
    ran = subprocess.run(
        command,
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
