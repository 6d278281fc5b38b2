"""Finds what Spark needs on this machine before it starts: Java, and the extension's jar for this Spark."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

from dbt.adapters.exceptions.connection import FailedToConnectError

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.include.adaptive_spark import PACKAGE_PATH

JARS = Path(PACKAGE_PATH) / "jars"
_OLDEST_JAVA = 17
_INSTALL_JAVA = f"Install Java {_OLDEST_JAVA} or newer, or point JAVA_HOME at one."
_CORE = re.compile(r"spark-core_(?P<scala>\d+\.\d+)-(?P<line>\d+\.\d+)\b.*\.jar")
_JAR = re.compile(r"adaptive-spark_(?P<line>\d+\.\d+)_(?P<scala>\d+\.\d+)\.jar")
_BUILD = "io/adaptivespark/build.properties"
_VECTOR = "jdk.incubator.vector"


@dataclass(frozen=True)
class SparkLine:
    """A Spark minor version and the Scala it is built with, such as 4.3 and 2.13."""

    spark: str
    scala: str


def installed_line(home: Path) -> SparkLine:
    """The Spark in `home`, by its own core jar: `SPARK_HOME` may hold another Spark than pyspark's."""
    for jar in sorted((home / "jars").glob("spark-core_*.jar")):
        core = _CORE.fullmatch(jar.name)
        if core is not None:
            return SparkLine(core["line"], core["scala"])
    raise FailedToConnectError(
        f"No Spark was found in {home}: it has no jars/spark-core_*.jar. Check SPARK_HOME."
    )


def spark_home() -> Path:
    """The folder of the Spark that pyspark would start."""
    from pyspark.find_spark_home import _find_spark_home  # pyspark is an extra, absent where Spark is remote

    return Path(_find_spark_home())


def find_jar(credentials: AdaptiveSparkCredentials, line: SparkLine, jars: Path = JARS) -> str:
    """The path of the extension's jar for this Spark: the profile's own, or the one that came with the package.

    Raises FailedToConnectError where there is none, or one made for another Spark or another release.
    """
    if credentials.jar is None:
        jar = _bundled(line, jars)
    elif "://" in credentials.jar:
        return credentials.jar  # on storage that only Spark can read; proven once Spark runs
    else:
        jar = Path(credentials.jar).expanduser().absolute()
        if not jar.is_file():
            raise FailedToConnectError(
                f"jar: {credentials.jar!r} is not a file. "
                "Correct it in your profile, or leave it out for the jar that comes with dbt-adaptive-spark."
            )
    _check_build(jar, line)
    return str(jar)


def _bundled(line: SparkLine, jars: Path) -> Path:
    found = [
        match for match in map(_JAR.fullmatch, sorted(path.name for path in jars.glob("*.jar"))) if match
    ]
    if not found:
        raise FailedToConnectError(
            f"The extension's jar is missing: there is none in {jars}. "
            "Run `make jars` in a checkout, or reinstall dbt-adaptive-spark."
        )
    for match in found:
        if match["line"] == line.spark and match["scala"] == line.scala:
            return jars / match[0]
    builds = ", ".join(f"Spark {match['line']} (Scala {match['scala']})" for match in found)
    raise FailedToConnectError(
        f"dbt-adaptive-spark {version} has no build for Spark {line.spark} (Scala {line.scala}); it has {builds}. "
        "Install a pyspark of one of these lines."
    )


def _check_build(jar: Path, line: SparkLine) -> None:
    try:
        with zipfile.ZipFile(jar) as archive:
            text = archive.read(_BUILD).decode()
    except (zipfile.BadZipFile, KeyError):
        raise FailedToConnectError(
            f"{jar} is not a jar of dbt-adaptive-spark: it has no {_BUILD}. Run `make jars`, or reinstall the package."
        ) from None
    build = dict(part.split("=", 1) for part in text.split() if "=" in part)
    if build.get("spark") != line.spark:
        raise FailedToConnectError(
            f"{jar} is built for Spark {build.get('spark')}, but Spark {line.spark} is installed. "
            "Use the jar of this Spark, or install the pyspark of that one."
        )
    if build.get("version") != version:
        raise FailedToConnectError(
            f"{jar} is from release {build.get('version')}, but dbt-adaptive-spark {version} is installed. "
            "Run `make jars`, or reinstall the package."
        )


def check_java() -> None:
    """Raises FailedToConnectError unless the Java that Spark would start can run it."""
    java = _java()
    if java is None:
        raise FailedToConnectError(f"Java was not found, and Spark runs on it. {_INSTALL_JAVA}")
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    major = java_major(answer.stderr)
    if major is None:
        raise FailedToConnectError(f"{java} does not say which Java it is. {_INSTALL_JAVA}")
    if major < _OLDEST_JAVA:
        raise FailedToConnectError(f"Java {major} ({java}) is too old for Spark. {_INSTALL_JAVA}")
    # stripped-down Java runtimes lack a module that Spark 4 names when it starts
    modules = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=False)
    if modules.returncode == 0 and _VECTOR not in modules.stdout:
        raise FailedToConnectError(
            f"Java {major} ({java}) lacks the module {_VECTOR}, which Spark needs. "
            f"Install a full JDK, or point JAVA_HOME at one."
        )


def java_major(answer: str) -> int | None:
    """The major version in what `java -version` answers: 8 for `1.8.0_402`, 17 for `17.0.15`; None without one."""
    match = re.search(r'version "(?:1\.)?(\d+)', answer)
    return None if match is None else int(match[1])


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=Path(home) / "bin") if home else shutil.which("java")
