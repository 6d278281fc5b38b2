"""Scala is compiled as far as it changed, and suites and jar are those of the sources: on a module of two files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from build_support.builds import BUILDS_FILE, ROOT, VERSION_FILE, chosen

MAIN = "jvm/src/main/scala/io/adaptivespark/Greeting.scala"
SUITE = "jvm/src/test/scala/io/adaptivespark/GreetingSuite.scala"
OF_INTS = 'package io.adaptivespark\n\nobject Greeting { def words(count: Int): String = "hello " * count }\n'
OF_LONGS = OF_INTS.replace("Int", "Long").replace("* count", "* count.toInt")
TWICE = """\
package io.adaptivespark

import org.scalatest.funsuite.AnyFunSuite

class GreetingSuite extends AnyFunSuite {
  test("says it twice") { assert(Greeting.words(2) == "hello hello ") }
}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the project's own build, and a main class with its suite in place of the extension."""
    for name in ("build_support", "jvm/.mvn"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    # The build asks the adapter for the releases of table formats.
    package = [file for file in (ROOT / "dbt/include/adaptive_spark").iterdir() if file.is_file()]
    project = (ROOT / "LICENSE", ROOT / "jvm/pom.xml", ROOT / "jvm/mvnw", BUILDS_FILE, VERSION_FILE)
    for file in (*project, *package):
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    write(tmp_path / MAIN, OF_INTS)
    write(tmp_path / SUITE, TWICE)
    return tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def run(checkout: Path, *arguments: str) -> str:
    """The output of a module of build_support, which has to succeed."""
    ran = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=checkout,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def suites(checkout: Path) -> str:
    return run(checkout, "build_support.scalatest", "-w", "io.adaptivespark")


def jar_names(checkout: Path) -> set[str]:
    run(checkout, "build_support.jars")
    with zipfile.ZipFile(checkout / chosen()[0].jar.relative_to(ROOT)) as jar:
        return {Path(name).name for name in jar.namelist()}


def test_suites_are_compiled_again_where_a_signature_in_main_changed(checkout: Path) -> None:
    assert "says it twice" in suites(checkout)
    # source-compatible: the suite's text is the same, its class calls a method that is gone
    write(checkout / MAIN, OF_LONGS)
    assert "Tests: succeeded 1, failed 0" in suites(checkout)


def test_suites_run_with_the_classes_of_their_branch_after_a_jar_of_another(checkout: Path) -> None:
    suites(checkout)
    write(checkout / MAIN, OF_INTS.replace("hello", "goodbye"))
    run(checkout, "build_support.jars")
    grouped = [sys.executable, "-m", "build_support.scalatest", "group", "rest"]
    ran = subprocess.run(grouped, cwd=checkout, capture_output=True, text=True)
    assert "the suites and the main classes are of two compiles. Run `make scalatest`." in ran.stdout
    assert ran.returncode == 1
    write(checkout / MAIN, OF_INTS)
    assert "Tests: succeeded 1, failed 0" in suites(checkout)


def test_classes_and_resources_that_are_gone_are_neither_run_nor_packed(checkout: Path) -> None:
    other = {MAIN: OF_INTS, SUITE: TWICE}
    for path, text in other.items():
        write(checkout / path.replace("Greeting", "Parting"), text.replace("Greeting", "Parting"))
    write(checkout / "jvm/src/main/resources/parting.txt", "goodbye")
    assert "Tests: succeeded 2, failed 0" in suites(checkout)
    assert {"Parting.class", "parting.txt"} <= jar_names(checkout)
    for path in other:
        (checkout / path.replace("Greeting", "Parting")).unlink()
    assert "Tests: succeeded 1, failed 0" in suites(checkout)
    names = jar_names(checkout)
    assert "Greeting.class" in names and "Parting.class" not in names
    (checkout / "jvm/src/main/resources/parting.txt").unlink()
    assert "parting.txt" not in jar_names(checkout)
