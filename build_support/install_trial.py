"""Installs the package into an empty environment by plain pip, and tries it there, step by step."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from build_support.builds import Build, every_build, version
from build_support.environments import empty, python_of
from build_support.install_cells import Cell, dbt_cores
from build_support.minimal_project import fault, write
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

# dbt-core 1.12's, which downloads a program from outside the package index while it is installed
PARSER = "dbt-core-experimental-parser"
_PYSPARK_MISSING = "method session needs pyspark, which is not installed."
_FROM_OUTSIDE = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "SPARK_HOME", "SPARK_CONF_DIR", "PIP_CONSTRAINT")
_OTHERS = "import importlib.metadata as m, json; print(json.dumps(m.requires('dbt-core')))"
_VERSIONS = """
import importlib.metadata as metadata, json
found = {each.metadata["Name"]: each.version for each in metadata.distributions()}
print(json.dumps({name: found.get(name, "") for name in ("dbt-core", "pyspark")}))
"""
_OTHER_JAR = """
import sys
from pyspark.sql import SparkSession
confs = {
    "spark.master": "local[1]", "spark.ui.enabled": "false", "spark.driver.memory": "1g", "spark.jars": sys.argv[1],
    "spark.sql.extensions": "io.adaptivespark.AdaptiveSparkExtensions", "spark.driver.host": "127.0.0.1",
}
builder = SparkSession.builder
for key, value in confs.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
print("answer", spark.sql("select 1 + 1").head()[0])
try:
    spark.sql("select adaptive_spark_version()").collect()
except Exception as error:
    print(error)
"""


class StepError(Exception):
    """A step that ended otherwise than it should, with its last lines."""


@dataclass(frozen=True)
class Trial:
    """One cell in a folder of its own. `run` runs a command there and returns its code and its output."""

    cell: Cell
    wheel: str
    folder: Path
    has_parser: bool = True

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """The steps in order, each with its name. A step raises StepError."""
        yield "pip install", self.install
        yield "pip check", self.check
        yield "dbt --version", self.tell
        yield "dbt parse", self.parse
        if "session" in self.cell.extras:
            yield "model", self.build
            yield "jar of another line", self.refuse_other_jar
        if "report" in self.cell.extras:
            yield "report", self.report

    @property
    def lacks_parser(self) -> bool:
        """True if the cell's dbt-core needs the parser, and pip cannot install it here."""
        return not self.has_parser and self.cell.dbt in ("", dbt_cores()[-1])

    def install(self) -> None:
        wanted = self.cell.requirements(self.wheel)
        newest = dbt_cores()[-1]
        if not self.lacks_parser:
            self._pip("install", *wanted)
            return
        # what pip would do, were the parser on the package index
        self._pip("install", *wanted, f"dbt-core<{newest}")
        self._pip("install", "--no-deps", f"dbt-core=={newest}.*")
        needed = json.loads(self._ran([self.python, "-c", _OTHERS]))
        self._pip("install", *(each for each in needed if not each.startswith(PARSER)))

    def check(self) -> None:
        code, said = self.run([self.python, "-m", "pip", "check"])
        lines = said.strip().splitlines()
        if self.lacks_parser:
            lines = [line for line in lines if f" requires {PARSER}, which is not installed" not in line]
            code = 0 if not lines else code
        if code != 0:
            raise StepError("\n".join(lines))

    def tell(self) -> None:
        said = self._ran([self._program("dbt"), "--version"])
        self._expect(f"- adaptive_spark: {version()}", said)
        wanted, taken = self.cell.dbt or dbt_cores()[-1], self.versions()["dbt-core"]
        if not taken.startswith(f"{wanted}."):
            raise StepError(f"pip took dbt-core {taken}, not {wanted}")

    def parse(self) -> None:
        method = "thrift" if self.cell.extras == ("thrift",) else "session"
        write(self.project, method, next((each for each in self.cell.extras if each in FORMATS), ""))
        code, said = self.run([self._program("dbt"), "parse"])
        if not self.cell.extras:
            self._expect(_PYSPARK_MISSING, " ".join(said.split()))
        elif code != 0:
            raise StepError(said)

    def build(self) -> None:
        self._ran([self._program("dbt"), "run"])
        why = fault(self.project)
        if why:
            raise StepError(why)

    def report(self) -> None:
        self._ran([self._program("dbt-adaptive-spark"), "report"])
        self._expect("numbers", (self.project / "target" / "adaptive_spark_report.html").read_text())

    def refuse_other_jar(self) -> None:
        other = other_line(self.versions()["pyspark"])
        said = self._ran([self.python, "-c", _OTHER_JAR, str(other.jar)])
        self._expect("answer 2", said)
        self._expect(f"is built for Spark {other.spark} (Scala {other.scala}) and inactive on Spark ", said)

    def versions(self) -> Mapping[str, str]:
        """The releases of dbt-core and pyspark that pip took; empty for one that is not there."""
        found: Mapping[str, str] = json.loads(self._ran([self.python, "-c", _VERSIONS]))
        return found

    @property
    def python(self) -> str:
        return python_of(self.folder / "environment")

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def begin(self, python: str) -> None:
        """Makes the environment, which has nothing but pip."""
        empty(self.folder / "environment", python)

    def run(self, command: Sequence[str]) -> tuple[int, str]:
        where = self.project if self.project.is_dir() else self.folder
        ran = subprocess.run(
            command,
            cwd=where,
            env=environment(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return ran.returncode, ran.stdout

    def _ran(self, command: Sequence[str]) -> str:
        code, said = self.run(command)
        if code != 0:
            raise StepError(said or f"{command[0]} ended with {code}")
        return said

    def _pip(self, *arguments: str) -> None:
        self._ran([self.python, "-m", "pip", arguments[0], "--quiet", *arguments[1:]])

    def _program(self, name: str) -> str:
        return str(self.folder / "environment" / "bin" / name)

    @staticmethod
    def _expect(sentence: str, said: str) -> None:
        if sentence not in said:
            raise StepError(f"{sentence!r} is not in: {said[-2000:]}")


def environment(here: Mapping[str, str]) -> dict[str, str]:
    """Variables for a command: a user's, without those that name what is installed elsewhere."""
    kept = {key: value for key, value in here.items() if key not in _FROM_OUTSIDE}
    return {**kept, "SPARK_LOCAL_IP": "127.0.0.1", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}


def other_line(pyspark: str) -> Build:
    """The build that is farthest from a pyspark's line and has a jar: one for another Scala where there is one."""
    there = [each for each in every_build() if each.jar.is_file()]
    mine = next((each for each in every_build() if pyspark.startswith(f"{each.spark}.")), there[0])
    others = [each for each in there if each != mine]
    return next((each for each in others if each.scala != mine.scala), others[-1])


def has_parser(python: str, folder: Path) -> bool:
    """True if pip can install dbt-core's parser here."""
    empty(folder, python)
    command = [python_of(folder), "-m", "pip", "install", "--quiet", "--no-deps", PARSER]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def last_line(said: str) -> str:
    """The last line that says something, of at most 200 characters."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in said.splitlines()]
    return next((line for line in reversed(lines) if line), "")[:200]


def tried(trial: Trial, say: Callable[[str], None]) -> tuple[list[str], str]:
    """The steps that passed, and the name and reason of the one that did not: no step follows it."""
    passed: list[str] = []
    for name, step in trial.steps():
        started = time.monotonic()
        try:
            step()
        except StepError as error:
            say(f"  {name}: FAILED\n{error}")
            return passed, f"{name}: {last_line(str(error))}"
        say(f"  {name}: {time.monotonic() - started:.0f} s")
        passed.append(name)
    return passed, ""
