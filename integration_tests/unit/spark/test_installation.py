"""Finding the jar and Java, and the sentence for each way in which they can be missing."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from dbt.adapters.exceptions.connection import FailedToConnectError

from build_support.builds import builds
from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.conf.extras import pip_install
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark import installation
from dbt.adapters.adaptive_spark.spark.installation import SparkLine

SPARK_43 = SparkLine("4.3", "2.13")


def credentials(jar=None):
    return AdaptiveSparkCredentials(database=None, schema="s", jar=jar)


def write_jar(path, spark="4.3", release=version, scala="2.13"):
    properties = f"version={release}\nspark={spark}\nscala={scala}\nbuilds=Spark 4.3 (Scala 2.13)\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("io/adaptivespark/build.properties", properties)
    return path


def sentence(error):
    return error.value.msg


def test_the_bundled_jar_of_this_spark_is_found(tmp_path):
    lines = [SparkLine("3.5", "2.12"), *(SparkLine(f"4.{minor}", "2.13") for minor in range(4))]
    jars = {
        line: write_jar(
            tmp_path / f"adaptive-spark_{line.spark}_{line.scala}.jar", line.spark, scala=line.scala
        )
        for line in lines
    }
    found = {line: installation.find_jar(credentials(), line, tmp_path) for line in lines}
    assert found == {line: str(jar) for line, jar in jars.items()}


def test_each_build_of_this_checkout_is_the_jar_of_its_spark(tmp_path):
    for build in builds():
        ours = write_jar(tmp_path / build.jar.name, build.spark, scala=build.scala)
        (tmp_path / "jars").mkdir(exist_ok=True)
        core = tmp_path / "jars" / f"spark-core_{build.scala}-{build.pyspark}.jar"
        core.touch()
        assert installation.find_jar(credentials(), installation.installed_line(tmp_path), tmp_path) == str(
            ours
        )
        core.unlink()


def test_jars_are_listed_from_the_oldest_spark_on(tmp_path):
    for spark in ("4.10", "4.9", "3.5"):
        write_jar(tmp_path / f"adaptive-spark_{spark}_2.13.jar", spark=spark)
    assert [line.spark for line in installation.shipped(tmp_path)] == ["3.5", "4.9", "4.10"]


def test_the_profiles_jar_wins(tmp_path):
    mine = write_jar(tmp_path / "mine.jar")
    assert installation.find_jar(credentials(str(mine)), SPARK_43, tmp_path / "none") == str(mine)


def test_a_jar_on_other_storage_is_left_to_spark():
    assert installation.find_jar(credentials("hdfs://n/a.jar"), SPARK_43) == "hdfs://n/a.jar"


def test_no_jar_at_all(tmp_path):
    with pytest.raises(FailedToConnectError) as error:
        installation.find_jar(credentials(), SPARK_43, tmp_path / "jars")
    assert sentence(error) == (
        f"The extension's jar is missing: there is none in {tmp_path / 'jars'}. "
        "Run `make jars` in a checkout, or reinstall dbt-adaptive-spark."
    )


@pytest.mark.parametrize(
    ("line", "bounds"),
    [
        (SparkLine("3.4", "2.12"), "pyspark>=3.5,<4.4"),
        (SparkLine("4.4", "2.13"), "pyspark>=3.5,<4.4"),
        (SparkLine("4.1", "2.13"), "pyspark>=3.5,<4.4,!=4.1.*"),
        (SparkLine("3.5", "2.13"), "pyspark>=3.5,<4.4,!=3.5.*"),
    ],
)
def test_no_build_for_this_spark(tmp_path, monkeypatch, line, bounds):
    write_jar(tmp_path / "adaptive-spark_3.5_2.12.jar", spark="3.5")
    write_jar(tmp_path / "adaptive-spark_4.3_2.13.jar")
    monkeypatch.delenv("SPARK_HOME", raising=False)
    with pytest.raises(FailedToConnectError) as error:
        installation.find_jar(credentials(), line, tmp_path)
    assert sentence(error) == (
        f"dbt-adaptive-spark {version} has no jar for {line}; it has jars for "
        f"Spark 3.5 (Scala 2.12), Spark 4.3 (Scala 2.13). Use such a Spark, by `pip install '{bounds}'` or by SPARK_HOME."
    )
    monkeypatch.setenv("SPARK_HOME", "/opt/spark")
    with pytest.raises(FailedToConnectError) as error:
        installation.find_jar(credentials(), line, tmp_path)
    assert sentence(error).endswith(
        f"Point SPARK_HOME at such a Spark, or unset it and `pip install '{bounds}'`."
    )


@pytest.mark.parametrize(("release", "spark"), [("4.3.0", "3.5"), ("3.5.9", "4.3")])
def test_a_spark_home_that_pyspark_does_not_speak_to_is_named(release, spark):
    with pytest.raises(FailedToConnectError) as error:
        installation.check_pyspark(SparkLine(spark, "2.13"), Path("/opt/spark"), release)
    assert sentence(error) == (
        f"pyspark {release} is installed and does not work with the Spark {spark} (Scala 2.13) in /opt/spark. "
        f"Unset SPARK_HOME for the Spark that pyspark brings, or `pip install 'pyspark=={spark}.*'`."
    )


@pytest.mark.parametrize(("release", "spark"), [("4.3.0", "4.0"), ("4.0.5", "4.3"), ("3.5.9", "3.5")])
def test_pyspark_speaks_to_other_lines_of_its_kind(release, spark):
    installation.check_pyspark(SparkLine(spark, "2.13"), Path("/opt/spark"), release)


@pytest.fixture
def three(tmp_path):
    """A folder of jars, two of them for one Spark."""
    for spark, scala in (("3.5", "2.12"), ("3.5", "2.13"), ("4.3", "2.13")):
        write_jar(tmp_path / f"adaptive-spark_{spark}_{scala}.jar", spark, scala=scala)
    return tmp_path


@pytest.mark.parametrize(
    ("spark", "scala", "name"),
    [
        ("3.5", "2.12", "adaptive-spark_3.5_2.12.jar"),
        ("3.5.9", "2.13", "adaptive-spark_3.5_2.13.jar"),
        ("4.3", None, "adaptive-spark_4.3_2.13.jar"),
    ],
)
def test_the_jar_for_a_spark_elsewhere(three, spark, scala, name):
    assert installation.jar_for(spark, scala, three) == three / name


def test_the_jar_for_the_spark_of_this_machine(three, monkeypatch, tmp_path):
    (tmp_path / "home" / "jars").mkdir(parents=True)
    (tmp_path / "home" / "jars" / "spark-core_2.12-3.5.9.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "home"))
    assert installation.jar_for(None, None, three).name == "adaptive-spark_3.5_2.12.jar"


@pytest.mark.parametrize(
    ("spark", "scala", "words"),
    [
        ("3.5", None, "Spark 3.5 has a jar for each of Scala 2.12 and 2.13. Say which with --scala"),
        (
            "4.3",
            "2.12",
            "has no jar for Spark 4.3 (Scala 2.12); it has jars for Spark 3.5 (Scala 2.12), Spark",
        ),
        ("3.4", None, "has no jar for Spark 3.4; it has jars for"),
        ("4", None, "has no jar for Spark 4; it has jars for"),
        (None, "2.12", "--scala is there without --spark. Name both"),
    ],
)
def test_a_jar_that_there_is_not(three, spark, scala, words):
    with pytest.raises(FailedToConnectError) as error:
        installation.jar_for(spark, scala, three)
    assert words in sentence(error)


def test_a_spark_has_to_be_named_where_there_is_none(monkeypatch):
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    with pytest.raises(FailedToConnectError, match=r"No pyspark is installed\. Name the Spark"):
        installation.jar_for(None, None)


def test_the_profiles_jar_does_not_exist():
    with pytest.raises(FailedToConnectError) as error:
        installation.find_jar(credentials("/no/such.jar"), SPARK_43)
    assert sentence(error) == (
        "jar: '/no/such.jar' is not a file. "
        "Correct it in your profile, or leave it out for the jar that comes with dbt-adaptive-spark."
    )


@pytest.mark.parametrize(("spark", "scala"), [("3.5", "2.13"), ("4.3", "2.12")])
def test_the_jar_is_built_for_another_spark(tmp_path, spark, scala):
    mine = write_jar(tmp_path / "mine.jar", spark=spark, scala=scala)
    with pytest.raises(FailedToConnectError) as error:
        installation.find_jar(credentials(str(mine)), SPARK_43)
    assert sentence(error) == (
        f"{mine} is built for Spark {spark} (Scala {scala}), but Spark 4.3 (Scala 2.13) is installed. "
        "Leave jar out of your profile for the jar that comes with dbt-adaptive-spark."
    )


def test_the_jar_is_from_another_release(tmp_path):
    write_jar(tmp_path / "adaptive-spark_4.3_2.13.jar", release="0.0.1")
    with pytest.raises(FailedToConnectError) as error:
        installation.find_jar(credentials(), SPARK_43, tmp_path)
    assert f"is from release 0.0.1, but dbt-adaptive-spark {version} is installed." in sentence(error)


@pytest.mark.parametrize("content", [b"", b"not a zip"])
def test_the_jar_is_none_of_ours(tmp_path, content):
    mine = tmp_path / "mine.jar"
    mine.write_bytes(content)
    with pytest.raises(FailedToConnectError, match="is not a jar of dbt-adaptive-spark"):
        installation.find_jar(credentials(str(mine)), SPARK_43)


def test_spark_is_known_by_its_core_jar(tmp_path):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.5.9.jar").touch()
    assert installation.installed_line(tmp_path) == SparkLine("3.5", "2.12")


def test_a_home_without_spark_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(FailedToConnectError) as error:
        installation.installed_line(installation.spark_home())
    assert sentence(error) == (
        f"No Spark was found in {tmp_path}: it has no jars/spark-core_*.jar. "
        "Point SPARK_HOME at a Spark, or unset it for the one that pyspark brings."
    )


def test_a_pyspark_without_spark_is_named(monkeypatch, capsys):
    def nowhere():
        print("Could not find valid SPARK_HOME", file=sys.stderr)
        sys.exit(-1)

    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setattr("pyspark.find_spark_home._find_spark_home", nowhere)
    monkeypatch.setattr("pyspark.__file__", "/site/pyspark/__init__.py")
    with pytest.raises(FailedToConnectError) as error:
        installation.installed_line(installation.spark_home())
    assert sentence(error) == (
        "No Spark was found in /site/pyspark: it has no jars/spark-core_*.jar. "
        f"Install pyspark anew: `{pip_install('session', '--force-reinstall')}`."
    )


def test_a_spark_is_to_be_started_with_the_jars_that_there_are(tmp_path):
    ours = write_jar(tmp_path / "adaptive-spark_4.3_2.13.jar")
    extension = "with spark.sql.extensions=io.adaptivespark.AdaptiveSparkExtensions"
    assert (
        installation.with_extension(tmp_path)
        == f"{extension} and spark.jars={ours} on Spark 4.3 (Scala 2.13)"
    )
    for spark in ("4.0", "4.1", "4.2"):
        write_jar(tmp_path / f"adaptive-spark_{spark}_2.13.jar", spark=spark)
    assert installation.with_extension(tmp_path) == (
        f"{extension} and spark.jars={ours} on Spark 4.3 (Scala 2.13), or the jar beside it for "
        "Spark 4.0 (Scala 2.13), Spark 4.1 (Scala 2.13) or Spark 4.2 (Scala 2.13)"
    )
    assert installation.with_extension(tmp_path / "none") == (
        f"{extension} and spark.jars=the extension's jar, which is missing from {tmp_path / 'none'} "
        "(reinstall dbt-adaptive-spark)"
    )


@pytest.mark.parametrize(
    ("answer", "major"),
    [
        ('java version "1.8.0_402"', 8),
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21-ea" 2023-09-19', 21),
        ("Error: could not open jvm.cfg", None),
    ],
)
def test_java_major_from_what_java_says(answer, major):
    assert installation.java_major(answer) == major


def java(monkeypatch, answer, modules="jdk.incubator.vector@17"):
    """Stands in for the Java on this machine."""
    monkeypatch.setattr(installation, "java_program", lambda: "/bin/java")

    def run(command, **_):
        text = modules if "--list-modules" in command else ""
        return subprocess.CompletedProcess(command, 0, stdout=text, stderr=answer)

    monkeypatch.setattr(subprocess, "run", run)


def test_no_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(FailedToConnectError) as error:
        installation.check_java()
    assert sentence(error) == (
        "Java was not found, and Spark runs on it. Install Java 17 or newer, or point JAVA_HOME at one."
    )


def test_java_too_old(monkeypatch):
    java(monkeypatch, 'openjdk version "11.0.2"')
    with pytest.raises(FailedToConnectError) as error:
        installation.check_java()
    assert sentence(error) == (
        "Java 11 (/bin/java) is too old for Spark. Install Java 17 or newer, or point JAVA_HOME at one."
    )


def test_java_without_sparks_module(monkeypatch):
    java(monkeypatch, 'openjdk version "17.0.2"', modules="java.base@17")
    with pytest.raises(
        FailedToConnectError, match=r"lacks the module jdk\.incubator\.vector, which Spark needs"
    ):
        installation.check_java()


def test_java_that_does_not_answer(monkeypatch):
    java(monkeypatch, "")
    with pytest.raises(FailedToConnectError, match="/bin/java does not say which Java it is"):
        installation.check_java()


def test_a_good_java_passes(monkeypatch):
    java(monkeypatch, 'openjdk version "17.0.15" 2025-04-15')
    installation.check_java()
