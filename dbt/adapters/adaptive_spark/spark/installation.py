"""Finds what Spark needs on this machine before it starts: Java, and the extension's jar for this Spark."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from dbt.adapters.exceptions.connection import FailedToConnectError

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.conf.extras import pip_install
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.session_conf import EXTENSION, EXTENSIONS_KEY, JARS_KEY
from dbt.include.adaptive_spark import PACKAGE_PATH

JARS = Path(PACKAGE_PATH) / "jars"
_OLDEST_JAVA = 17
_INSTALL_JAVA = f"Install Java {_OLDEST_JAVA} or newer, or point JAVA_HOME at one."
_CORE = re.compile(r"spark-core_(?P<scala>\d+\.\d+)-(?P<line>\d+\.\d+)\b.*\.jar")
_JAR = re.compile(r"adaptive-spark_(?P<line>\d+\.\d+)_(?P<scala>\d+\.\d+)\.jar")
_RUN_MAKE = "Run `make jars` in a checkout, or reinstall dbt-adaptive-spark."
_BUILD = "io/adaptivespark/build.properties"
_VECTOR = "jdk.incubator.vector"


@dataclass(frozen=True)
class SparkLine:
    """A Spark minor version and the Scala it is built with, such as 4.3 and 2.13."""

    spark: str
    scala: str

    def __str__(self) -> str:
        return f"Spark {self.spark} (Scala {self.scala})"

    @property
    def age(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Orders lines from the oldest on: 4.9 before 4.10."""
        spark, scala = (tuple(map(int, each.split("."))) for each in (self.spark, self.scala))
        return spark, scala


def installed_line(home: Path) -> SparkLine:
    """The Spark in `home`, by its own core jar: `SPARK_HOME` may hold another Spark than pyspark's.

    Raises FailedToConnectError where it has none.
    """
    for jar in sorted((home / "jars").glob("spark-core_*.jar")):
        core = _CORE.fullmatch(jar.name)
        if core is not None:
            return SparkLine(core["line"], core["scala"])
    remedy = (
        "Point SPARK_HOME at a Spark, or unset it for the one that pyspark brings."
        if "SPARK_HOME" in os.environ
        else f"Install pyspark anew: `{pip_install('session', '--force-reinstall')}`."
    )
    raise FailedToConnectError(f"No Spark was found in {home}: it has no jars/spark-core_*.jar. {remedy}")


def check_pyspark(line: SparkLine, home: Path, release: str) -> None:
    """Raises FailedToConnectError where pyspark's Python names classes that this Spark does not have.

    Spark 4 moved its sessions to another package; within Spark 3 and within Spark 4, pyspark speaks to each line.
    """
    if release.partition(".")[0] != line.spark.partition(".")[0]:
        raise FailedToConnectError(
            f"pyspark {release} is installed and does not work with the {line} in {home}. Unset SPARK_HOME for the "
            f"Spark that pyspark brings, or `pip install 'pyspark=={line.spark}.*'`."
        )


def spark_home() -> Path:
    """The folder of the Spark that pyspark would start; pyspark's own where it finds none."""
    if "SPARK_HOME" in os.environ:  # which pyspark asks first, too
        return Path(os.environ["SPARK_HOME"])
    # pyspark is an extra, absent where Spark is remote
    import pyspark.find_spark_home

    try:
        return Path(pyspark.find_spark_home._find_spark_home())
    except SystemExit:  # that is how pyspark says so, after a few lines on stderr
        return Path(pyspark.__file__).parent


def find_jar(credentials: AdaptiveSparkCredentials, line: SparkLine, jars: Path = JARS) -> str:
    """The path of the extension's jar for this Spark: the profile's own, or the one that came with the package.

    Raises FailedToConnectError where there is none, or one made for another Spark or another release.
    """
    remedy = "Leave jar out of your profile for the jar that comes with dbt-adaptive-spark."
    if credentials.jar is None:
        jar, remedy = _bundled(line, jars), _RUN_MAKE
    elif "://" in credentials.jar:
        return credentials.jar  # on storage that only Spark can read; proven once Spark runs
    else:
        jar = Path(credentials.jar).expanduser().absolute()
        if not jar.is_file():
            raise FailedToConnectError(
                f"jar: {credentials.jar!r} is not a file. "
                "Correct it in your profile, or leave it out for the jar that comes with dbt-adaptive-spark."
            )
    _check_build(jar, line, remedy)
    return str(jar)


def jar_for(spark: str | None, scala: str | None, jars: Path = JARS) -> Path:
    """The path of the jar that came with the package for a Spark, such as 3.5 or 3.5.9, and its Scala; without a Spark,
    for the one of this machine.

    Raises FailedToConnectError where there is none, or one for each of two Scalas.
    """
    if spark is None:
        if scala is not None:
            raise FailedToConnectError("--scala is there without --spark. Name both, such as --spark 3.5.")
        if "SPARK_HOME" not in os.environ and find_spec("pyspark") is None:
            raise FailedToConnectError("No pyspark is installed. Name the Spark, such as --spark 3.5.")
        return _bundled(installed_line(spark_home()), jars)
    found = _shipped(jars)
    line = ".".join(spark.split(".")[:2])
    fitting = {each.scala: path for each, path in found.items() if each.spark == line}
    if scala is None and len(fitting) > 1:
        raise FailedToConnectError(
            f"Spark {line} has a jar for each of Scala {' and '.join(fitting)}. Say which with --scala; "
            "`spark-submit --version` says which Scala a Spark has."
        )
    wanted = scala or next(iter(fitting), None)
    if wanted not in fitting:
        raise FailedToConnectError(_no_jar(SparkLine(line, scala) if scala else f"Spark {line}", found))
    return fitting[wanted]


def shipped(jars: Path = JARS) -> dict[SparkLine, Path]:
    """The jars that come with the package, by the Spark that each is for; the oldest Spark first."""
    found = map(_JAR.fullmatch, (path.name for path in jars.glob("*.jar")))
    by_line = {SparkLine(match["line"], match["scala"]): jars / match[0] for match in found if match}
    return dict(sorted(by_line.items(), key=lambda item: item[0].age))


def with_extension(jars: Path = JARS) -> str:
    """How a Spark is to be started, as the end of a sentence: with the extension, and its jar by its path."""
    found = list(shipped(jars).items())
    where = f"the extension's jar, which is missing from {jars} (reinstall dbt-adaptive-spark)"
    if found:
        (*others, (newest, jar)) = found
        where = f"{jar} on {newest}"
        if others:
            where += f", or the jar beside it for {_either([str(line) for line, _ in others])}"
    return f"with {EXTENSIONS_KEY}={EXTENSION} and {JARS_KEY}={where}"


def _either(words: list[str]) -> str:
    return " or ".join([*filter(None, [", ".join(words[:-1])]), words[-1]])


def _bundled(line: SparkLine, jars: Path) -> Path:
    found = _shipped(jars)
    if line not in found:
        install = f"`pip install '{_pyspark_within(list(found), line)}'`"
        remedy = (
            f"Point SPARK_HOME at such a Spark, or unset it and {install}."
            if "SPARK_HOME" in os.environ
            else f"Use such a Spark, by {install} or by SPARK_HOME."
        )
        raise FailedToConnectError(f"{_no_jar(line, found)} {remedy}")
    return found[line]


def _shipped(jars: Path) -> dict[SparkLine, Path]:
    """Those that come with the package. Raises FailedToConnectError where none does."""
    found = shipped(jars)
    if not found:
        raise FailedToConnectError(f"The extension's jar is missing: there is none in {jars}. {_RUN_MAKE}")
    return found


def _no_jar(wanted: SparkLine | str, found: Iterable[SparkLine]) -> str:
    return (
        f"dbt-adaptive-spark {version} has no jar for {wanted}; it has jars for {', '.join(map(str, found))}."
    )


def _pyspark_within(lines: list[SparkLine], found: SparkLine) -> str:
    """The requirement of a pyspark that has a jar, from which pip takes the newest that this Python allows."""
    oldest, newest = lines[0], lines[-1]
    major, minor = newest.age[0]
    bounds = f"pyspark>={oldest.spark},<{major}.{minor + 1}"
    return f"{bounds},!={found.spark}.*" if oldest.age < found.age < newest.age else bounds


def _check_build(jar: Path, line: SparkLine, remedy: str) -> None:
    try:
        with zipfile.ZipFile(jar) as archive:
            text = archive.read(_BUILD).decode()
    except (zipfile.BadZipFile, KeyError):
        raise FailedToConnectError(
            f"{jar} is not a jar of dbt-adaptive-spark: it has no {_BUILD}. {remedy}"
        ) from None
    build = dict(part.split("=", 1) for part in text.splitlines() if "=" in part)
    built = SparkLine(build.get("spark", "?"), build.get("scala", "?"))
    if built != line:
        raise FailedToConnectError(f"{jar} is built for {built}, but {line} is installed. {remedy}")
    if build.get("version") != version:
        raise FailedToConnectError(
            f"{jar} is from release {build.get('version')}, but dbt-adaptive-spark {version} is installed. {remedy}"
        )


def check_java() -> None:
    """Raises FailedToConnectError unless the Java that Spark would start can run it."""
    java = java_program()
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


def java_program() -> str | None:
    """The Java that Spark would start: that of JAVA_HOME, or of the path; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=Path(home) / "bin") if home else shutil.which("java")
