"""The lines of Spark that a make target is about: the installed one, or what SPARK names."""

import importlib.metadata
import json
from dataclasses import replace

import pytest

from build_support import builds as lines
from build_support import line_table, maven, scala_sources, scalatest
from build_support.builds import ROOT, builds, chosen, every_build, installed, oldest, packaged
from build_support.lowest import pyspark


@pytest.fixture(autouse=True)
def no_line(monkeypatch):
    for key in ("SPARK", "SCALA", "RELEASE"):
        monkeypatch.delenv(key, raising=False)


@pytest.fixture
def pyspark_is(monkeypatch):
    return lambda release: monkeypatch.setattr(importlib.metadata, "version", lambda _: release)


def spark(found):
    return [build.spark for build in found]


@pytest.mark.parametrize("release", [build.pyspark for build in every_build()])
def test_a_target_is_about_the_line_of_the_installed_pyspark(release, pyspark_is):
    pyspark_is(release)
    assert spark(chosen()) == [release.rpartition(".")[0]]
    assert chosen() == [installed()]


def test_the_pinned_pyspark_is_that_of_the_first_build():
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    assert f"pyspark=={builds()[0].pyspark}" in pins


@pytest.mark.parametrize("line", [build.spark for build in every_build()])
def test_spark_names_a_line_or_a_release_of_it(line, monkeypatch):
    for named in (line, f"{line}.17"):
        monkeypatch.setenv("SPARK", named)
        assert spark(chosen()) == [line] == spark(packaged())


def test_all_lines_are_named_by_all_and_a_package_has_all_unless_told_otherwise(monkeypatch):
    assert packaged() == builds()
    monkeypatch.setenv("SPARK", "all")
    assert chosen() == builds() == packaged()


@pytest.mark.parametrize("named", ["4", "4.30", "2.4", "every"])
def test_a_line_that_there_is_not_is_refused_with_those_that_there_are(named, monkeypatch):
    monkeypatch.setenv("SPARK", named)
    known = ", ".join(dict.fromkeys(spark(every_build())))
    with pytest.raises(SystemExit) as refused:
        chosen()
    assert refused.value.code == (
        f"SPARK is {named}, and there is no build for that line. There are builds for {known}."
    )


def test_a_line_is_that_of_the_pyspark_on_pypi_unless_scala_names_another(monkeypatch):
    monkeypatch.setenv("SPARK", "3.5")
    assert [(build.scala, build.jars) for build in chosen()] == [("2.12", ())]
    for build in every_build():
        for key, value in build.named.items():
            monkeypatch.setenv(key, value)
        assert chosen() == packaged() == [build]


def test_a_scala_that_a_line_is_not_built_for_is_refused_with_those_that_it_is_built_for(monkeypatch):
    monkeypatch.setenv("SPARK", "3.5.9")
    monkeypatch.setenv("SCALA", "3.3")
    with pytest.raises(SystemExit) as refused:
        chosen()
    assert refused.value.code == (
        "SCALA is 3.3, and there is no build of Spark 3.5 for it. There are builds for 2.13, 2.12."
    )


def test_a_build_without_a_spark_on_pypi_runs_on_the_jars_of_maven_central(monkeypatch, tmp_path):
    (build,) = [each for each in every_build() if each.jars]
    monkeypatch.setattr(maven, "MODULE", tmp_path)
    jars = maven.spark_home(build) / "jars"
    jars.mkdir(parents=True)
    (jars / "scala-library-2.12.18.jar").touch()

    def copied(arguments, quiet):
        asked.append((jars / "pom.xml").read_text())
        (jars / f"scala-library-{build.scala_version}.jar").touch()

    asked = []
    monkeypatch.setattr(maven, "_run", copied)
    assert maven.spark_jars(build) == jars
    assert [jar.name for jar in jars.glob("*.jar")] == [f"scala-library-{build.scala_version}.jar"]
    (pom,) = asked
    managed, _, rest = pom.partition("</dependencyManagement>")
    for release, part in [
        ("org.apache.spark:spark-parent_2.13:3.5.6", managed),
        *((each, rest) for each in build.jars),
    ]:
        _, artifact, number = release.split(":")
        assert f"<artifactId>{artifact}</artifactId><version>{number}</version>" in part
    monkeypatch.setattr(maven, "_run", None)
    assert maven.spark_jars(build) == jars, "they are there"
    with pytest.raises(TypeError):  # it fetches them
        maven.spark_jars(replace(build, jars=(*build.jars, "a:b:1")))


def test_libraries_have_the_versions_of_the_project_that_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(maven, "_run", lambda *_, **__: None)
    maven.fetch(["a:b:1"], tmp_path / "jars", versions="a:parent:1")
    pom = (tmp_path / "jars" / "pom.xml").read_text()
    managed, _, rest = pom.partition("</dependencyManagement>")
    assert (
        "<artifactId>parent</artifactId><version>1</version><type>pom</type><scope>import</scope>" in managed
    )
    # a project may leave what its own jars have within them to nobody
    assert "<artifactId>b</artifactId><version>1</version><scope>compile</scope></dependency>" in rest
    maven.fetch(["a:b:1"], tmp_path / "jars")
    assert (
        "<dependencyManagement><dependencies></dependencies>" in (tmp_path / "jars" / "pom.xml").read_text()
    )


def test_a_pyspark_without_a_build_is_refused(pyspark_is):
    pyspark_is("3.4.4")
    with pytest.raises(SystemExit, match=r"The installed pyspark is 3\.4\.4, and there is no build"):
        chosen()


def test_each_line_takes_one_source_of_each_shim_and_of_no_other_line():
    main = maven.MODULE / "src" / "main"
    folders = {folder.name for kind in ("spark-*", "scala-*") for folder in main.glob(kind)}
    assert folders == {shim for build in every_build() for shim in build.shims}, "a folder that no line takes"
    files = {build.name: sources(main, build.shims) for build in every_build()}
    assert all(len(found) == len(set(found)) for found in files.values()), "a shim twice"
    shims = {file for found in files.values() for file in found}
    of_the_parser = {"io/adaptivespark/shim/CommonParser.scala"}
    missing = {line: shims - set(found) - of_the_parser for line, found in files.items()}
    assert not any(missing.values()), missing


def sources(main, shims):
    return [str(file.relative_to(main / shim)) for shim in shims for file in (main / shim).rglob("*.scala")]


def covers(folder, build):
    """A folder's name has the lines that share it, or the Scala: `spark-4.0-4.2`, `spark-4.1+`, `spark-4.0`,
    `scala-2.12`.
    """
    if folder.startswith("scala-"):
        return folder == f"scala-{build.scala}"
    first, plus, last = folder.removeprefix("spark-").partition("+" if folder.endswith("+") else "-")
    number = [int(part) for part in build.spark.split(".")]
    until = number if plus == "+" else [int(part) for part in (last or first).split(".")]
    return [int(part) for part in first.split(".")] <= number <= until


def test_a_shim_folder_is_named_for_the_lines_that_take_it():
    folders = {shim for build in every_build() for shim in build.shims}
    for build in every_build():
        assert set(build.shims) == {folder for folder in folders if covers(folder, build)}


def test_the_format_of_all_lines_is_checked_in_one_go():
    shims = {shim for build in every_build() for shim in build.shims}
    assert set(scala_sources.every_source().shims) == shims


def test_suites_run_on_another_release_of_their_line_where_it_is_named(monkeypatch, tmp_path):
    (build, *_) = builds()
    (tmp_path / "test-classpath.txt").write_text("/suites")
    commands = []
    monkeypatch.setattr(scalatest, "target", lambda _: tmp_path)
    monkeypatch.setattr(scalatest, "suites_are_whole", lambda _: True)
    monkeypatch.setattr(scalatest, "spark_jars", lambda of: tmp_path / of.pyspark)
    monkeypatch.setattr(
        scalatest.subprocess,
        "run",
        lambda command, **_: commands.append(command) or scalatest.subprocess.CompletedProcess(command, 1),
    )
    for release in (None, "4.3.9"):
        if release:
            monkeypatch.setenv("RELEASE", release)
        scalatest._run(build, tmp_path / "reports", ["-s", "Suite"])
    classes = [command[command.index("-cp") + 1] for command in commands]
    assert classes == [f"/suites:{tmp_path}/{build.pyspark}/*", f"/suites:{tmp_path}/4.3.9/*"]


def test_the_oldest_spark_that_is_tried_is_the_first_release_of_the_oldest_line(monkeypatch):
    assert pyspark() == f"pyspark=={oldest().spark}.0"
    monkeypatch.setenv("SPARK", "4.1")
    assert pyspark() == "pyspark==4.1.0"


def test_the_page_of_lines_has_each_line_with_its_jar_and_what_it_is_compiled_with():
    page = (ROOT / "docs" / "reference" / "spark-lines.md").read_text()
    rows = [line for line in page.splitlines() if "adaptive-spark_" in line]
    assert len(rows) == len(builds())
    for row, build in zip(rows, builds(), strict=True):
        assert row.startswith(
            f"| {build.spark} | {build.scala} | `{build.jar.name}` | {line_table.spark_of(build)} |"
        )


def test_a_line_that_is_not_proven_is_compiled_and_in_no_package_that_does_not_name_it(monkeypatch, tmp_path):
    listed = json.loads(lines.BUILDS_FILE.read_text())
    listed.append({**listed[-1], "spark": "2.4", "state": "unproven"})
    monkeypatch.setattr(lines, "BUILDS_FILE", tmp_path / "builds.json")
    lines.BUILDS_FILE.write_text(json.dumps(listed))
    assert "2.4" in spark(every_build())
    assert "2.4" not in spark(packaged())
    monkeypatch.setenv("SPARK", "all")
    assert "2.4" not in spark(chosen())
    monkeypatch.setenv("SPARK", "2.4")
    assert spark(chosen()) == ["2.4"]


def test_builds_are_read_from_their_one_list():
    listed = spark(every_build())
    assert listed == sorted(listed, reverse=True), "the newest first"
    assert all(build.pyspark.startswith(f"{build.spark}.") for build in every_build())
    assert {build.state for build in every_build()} <= {"proven", "unproven"}
    assert lines.BUILDS_FILE == ROOT / "jvm" / "builds.json"
