"""Spark's process ends under dbt: the user reads one sentence, wherever Java is called next."""

import re
import textwrap

import pytest
from programs import python
from projects import write_project

KILLED = (
    "Spark's process has ended: it was killed (signal 9), which is what the system does where its memory runs out. "
    "Give the machine or container more memory, or lower spark.driver.memory (1g) under server_side_parameters in your "
    "profile, or threads."
)
NOISE = ("Errno", "py4j", "Traceback", "Connection refused", "could not be put back", "could not be read")
PREPARED = """
import os, signal, threading, time
from pyspark import SparkContext
from dbt_common.exceptions import DbtRuntimeError
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_scope import ConfScope
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions
profile = AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters=CONFS)

def kill():
    os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)

def said(act):
    try:
        return str(act())
    except DbtRuntimeError as error:
        return error.msg

def main():
    sessions = CommandSessions(profile)
    handle = sessions.connect(lambda: "node")
"""


def lines(steps, confs):
    ended = python(PREPARED + textwrap.indent(textwrap.dedent(steps), "    ") + "\nmain()\n", confs)
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert not [word for word in NOISE if word in ended.stderr], ended.stderr
    return ended.stdout.splitlines()


def test_every_call_of_a_connection_says_it(confs):
    steps = """
    scope = ConfScope(handle, [ConfEntry("spark.a", "1")])
    scope.enter("models/m.sql")
    kill()
    for act in (
        lambda: handle.cursor().execute("select 1"),
        lambda: handle.statistics("select 1"),
        lambda: handle.explicit(["spark.a"]),
        lambda: handle.set(ConfEntry("spark.a", "2")),
        lambda: handle.unset("spark.a"),
        lambda: ConfScope(handle, [ConfEntry("spark.b", "1")]).enter("models/n.sql"),
        lambda: sessions.connect(lambda: "other"),
    ):
        print(said(act))
    print(said(scope.leave), said(handle.cancel), said(handle.close))
    """
    assert lines(steps, confs) == [KILLED] * 7 + ["[] None None"]


def test_a_statement_that_runs_says_it_and_to_cancel_it_is_no_error(confs):
    steps = """
    def run():
        cursor = handle.cursor()
        print(said(lambda: cursor.execute("select sum(a.id * b.id) from range(1000000) a cross join range(1000000) b")))
    running = threading.Thread(target=run)
    running.start()
    while not list(handle.session.sparkContext.statusTracker().getActiveJobsIds()):
        time.sleep(0.1)
    kill()
    handle.cancel()
    running.join()
    """
    assert lines(steps, confs) == [KILLED]


def test_the_end_says_that_memory_ran_out(confs):
    steps = """
    try:
        SparkContext._jvm.java.lang.Runtime.getRuntime().halt(52)
    except Exception:
        pass  # the call does not return
    print(said(lambda: handle.cursor().execute("select 1")))
    """
    assert lines(steps, confs) == [
        "Spark's process has ended: it ran out of memory. Raise spark.driver.memory (1g) under server_side_parameters in "
        "your profile, or lower threads."
    ]


def test_a_context_that_is_stopped_is_told_apart(confs):
    steps = """
    handle.session.sparkContext._jsc.sc().stop()
    print(said(lambda: handle.cursor().execute("select count(*) from range(10)")))
    """
    assert lines(steps, confs) == [
        "Spark was stopped while dbt was running, by its cluster or by the program that dbt runs in. "
        "Spark's log above has the reason. Run dbt again."
    ]


def test_the_next_command_starts_spark_anew(confs):
    steps = """
    kill()
    print(said(lambda: sessions.connect(lambda: "node")) == said(lambda: handle.statistics("select 1")))
    print(said(lambda: CommandSessions(profile).connect(lambda: "node").statistics("select 1")))
    """
    assert lines(steps, confs) == ["True", "[Row(1=1)]"]


def test_a_programs_spark_is_not_replaced_by_one_without_its_views(confs):
    program = """
from pyspark.sql import SparkSession
builder = SparkSession.builder
for key, value in CONFS.items():
    builder = builder.config(key, value)
builder.getOrCreate().range(3).createOrReplaceTempView("mine")
{prepared}
"""
    prepared = PREPARED[: PREPARED.index("def main")]
    ended = python(
        program.format(prepared=prepared)
        + "kill()\nprint(said(lambda: CommandSessions(profile).connect(lambda: 'node')))\n",
        confs,
    )
    sentence = KILLED.replace("spark.driver.memory (1g)", "spark.driver.memory (1g, the default)")
    assert ended.stdout.splitlines() == [sentence], ended.stderr


SPIN = (
    "{{ config(materialized='table', spark_conf={'spark.sql.shuffle.partitions': 3}, analyze='auto') }} "
    "select sum(a.id * b.id) as n from range(1000000) a cross join range(1000000) b"
)
DBT = """
import os, signal, threading, time
from pathlib import Path
from dbt.cli.main import dbtRunner
from pyspark import SparkContext

def kill_once_it_runs():
    while not Path("target/run/shop/models/a_slow.sql").exists():
        time.sleep(0.1)
    time.sleep(3)
    os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)

threading.Thread(target=kill_once_it_runs, daemon=True).start()
dbtRunner().invoke(["--no-use-colors", "run"])
"""


@pytest.fixture(scope="module")
def console(tmp_path_factory):
    """The console of a run whose Spark is killed during its first model."""
    project = tmp_path_factory.mktemp("project")
    # one thread takes models by name where none depends on another
    models = {"models/a_slow.sql": SPIN, "models/later.sql": "select 1 as id"}
    write_project(project, models, threads=1, **{"on-run-end": "select 1"})
    ended = python(DBT, {}, folder=project, DBT_PROFILES_DIR=str(project))
    return ended.stdout + ended.stderr


def test_a_run_says_it_for_the_model_that_ran(console):
    assert f"Database Error in model a_slow (models/a_slow.sql)\n  {KILLED}" in plain(console)


def test_a_run_says_it_for_what_comes_after(console):
    assert f"Database Error in model later (models/later.sql)\n  {KILLED}" in plain(console)
    assert re.search(rf"on-run-end.*failed, error:\s+(Database Error\s+)?{re.escape(KILLED)}", console)


def test_a_run_says_nothing_else_of_it(console):
    assert not [word for word in NOISE if word in console], console


def plain(console):
    """Without the times before each line."""
    return "\n".join(line.partition("  ")[2] if line[2:3] == ":" else line for line in console.splitlines())
