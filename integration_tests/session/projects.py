"""A dbt project on disk whose Spark stays on this machine, and dbt to run it: each command
in a process, or several in one.
"""

import json
import os
import subprocess
import sys
import textwrap
from copy import copy
from pathlib import Path
from threading import Timer
from types import SimpleNamespace

import yaml

from build_support.spark_start import put_metastore
from dbt.adapters.adaptive_spark.spark.installation import installed_line, spark_home

ROOT = Path(__file__).parents[2]
# Spark 3.5 has in SQL neither variables nor functions, collations or options of files.
SINCE_4 = not installed_line(spark_home()).spark.startswith("3.")


def on_this_machine(folder):
    """Confs of a small Spark that stays on this machine, with its files in `folder`."""
    return {
        "spark.master": "local[2]",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": False,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }


def write_project(project, files, threads, home=None, **settings):
    """The project `shop`: `files` by path, its `settings`, and a profile under which Spark writes beside them, or in
    `home`.
    """
    home = home or project
    for path, text in files.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    (project / "dbt_project.yml").write_text(
        yaml.safe_dump({"name": "shop", "version": "1.0", "profile": "shop", **settings})
    )
    confs = {
        **on_this_machine(home),
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={home}",
    }
    target = {"type": "adaptive_spark", "schema": "shop", "threads": threads, "server_side_parameters": confs}
    put_metastore(home / "metastore_db")
    (project / "profiles.yml").write_text(
        yaml.safe_dump({"shop": {"target": "dev", "outputs": {"dev": target}}})
    )


def dbt(project, *arguments):
    """How `dbt` with `arguments` ended, and what it printed."""
    return subprocess.run(
        [sys.executable, "-m", "dbt.cli.main", *_of(project, arguments)],
        cwd=project,
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def run_program(project, text, result):
    """Runs a Python program that runs dbt in `project`.

    Returns the JSON that it wrote into the file `result`, and its output.
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        cwd=project,
        env={**_environment(), "DBT_PROFILES_DIR": str(project)},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    file = project / result
    assert file.is_file(), ended.stdout[-3000:] + ended.stderr[-3000:]
    return json.loads(file.read_text()), ended.stdout


class OneProcess:
    """dbt's commands one after another in one process, with one Spark, as a program runs them."""

    _PROGRAM = """
import contextlib, io, json, os, sys
from dbt.cli.main import dbtRunner
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
def run(arguments):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        ended = dbtRunner().invoke(arguments)
    return 0 if ended.success else 1, printed.getvalue()
def rows(query):
    from pyspark.sql import SparkSession
    return [list(row) for row in SparkSession.builder.getOrCreate().newSession().sql(query).collect()]
for line in sys.stdin:
    asked = json.loads(line)
    answer = rows(asked) if isinstance(asked, str) else run(asked)
    print(json.dumps(answer, default=str), file=answers, flush=True)
"""

    def __init__(self, project):
        self.folder = project

    def __enter__(self):
        command = [sys.executable, "-c", self._PROGRAM]
        self._process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=60)

    def of(self, project):
        """This process for another project, with the same Spark."""
        other = copy(self)
        other.folder = project
        return other

    def dbt(self, *arguments):
        """How `dbt` with `arguments` ended, and what it printed."""
        returncode, stdout = self._answer(_of(self.folder, arguments))
        return SimpleNamespace(returncode=returncode, stdout=stdout)

    def rows(self, query):
        """The rows of any statement in a session of its own, once dbt has started Spark; JSON knows their values, and
        others are texts.
        """
        return [tuple(row) for row in self._answer(query)]

    def _answer(self, asked):
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        limit = Timer(300, self._process.kill)
        limit.start()
        try:
            return json.loads(self._process.stdout.readline())
        finally:
            limit.cancel()


def _of(project, arguments):
    return ["--no-use-colors", *arguments, "--project-dir", str(project), "--profiles-dir", str(project)]


def _environment():
    return {**os.environ, "PYTHONPATH": str(ROOT), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
