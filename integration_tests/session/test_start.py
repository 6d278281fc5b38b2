"""How Spark starts, and what a user reads where it cannot; each in a Python of its own, since a process has one Spark."""

import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]

CONNECT = """
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.session import connect
profile = AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters=CONFS)
try:
    handle = connect(profile, lambda: "node")
except Exception as error:
    raise SystemExit(f"{type(error).__name__}: {error.msg}")
"""


def python(program, confs):
    """What a program prints; its end is the sentence it stopped with."""
    text = f"CONFS = {confs!r}\n{textwrap.dedent(program)}"
    return subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, timeout=180, check=False
    )


def test_a_context_without_the_extension_is_told_apart(confs):
    program = """
    from pyspark.sql import SparkSession
    builder = SparkSession.builder.appName("notebook")
    for key, value in CONFS.items():
        builder = builder.config(key, value)
    builder.getOrCreate()
    """
    ended = python(textwrap.dedent(program) + CONNECT, confs)
    assert ended.stderr.strip().splitlines()[-1] == (
        "FailedToConnectError: The adaptive-spark extension is not loaded in the SparkContext 'notebook' that is "
        "already running in this process. Stop it before dbt starts (spark.stop()), or start it with "
        "spark.sql.extensions=io.adaptivespark.AdaptiveSparkExtensions and the extension's jar in spark.jars."
    )


def test_statistics_are_used_in_a_context_that_is_already_running(confs):
    program = """
    from pyspark.sql import SparkSession
    from dbt.adapters.adaptive_spark.jars import find_jar, installed_line, spark_home
    from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
    mine = AdaptiveSparkCredentials(database=None, schema="default")
    builder = SparkSession.builder.config("spark.jars", find_jar(mine, installed_line(spark_home())))
    builder = builder.config("spark.sql.extensions", "io.adaptivespark.AdaptiveSparkExtensions")
    for key, value in {**CONFS, "spark.sql.cbo.joinReorder.enabled": "false"}.items():
        builder = builder.config(key, value)
    builder.getOrCreate()
    """
    ask = """
    keys = ["spark.sql.cbo.enabled", "spark.sql.statistics.histogram.enabled", "spark.sql.cbo.joinReorder.enabled"]
    print(*handle.explicit(keys).values(), sep="|")
    """
    ended = python(textwrap.dedent(program) + CONNECT + textwrap.dedent(ask), confs)
    assert ended.stdout.splitlines()[-1] == "true|true|false", ended.stderr[-2000:]


def test_the_users_own_extensions_and_catalog_stay(confs):
    mine = {
        "spark.sql.extensions": "org.example.TheirExtensions",
        "spark.app.name": "nightly",
        "spark.sql.ansi.enabled": "true",
    }
    program = CONNECT + textwrap.dedent("""
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(4) as threads:
        handles = list(threads.map(lambda at: connect(profile, lambda: "node"), range(4)))
    assert len({id(each.session.sparkContext) for each in handles}) == 1
    assert len({id(each.session) for each in handles}) == 4
    keys = ["spark.sql.extensions", "spark.sql.catalogImplementation", "spark.app.name", "spark.sql.ansi.enabled"]
    print(*handle.explicit(keys).values(), sep="|")
    """)
    ended = python(program, {**confs, **mine})
    assert ended.stdout.strip() == (
        "org.example.TheirExtensions,io.adaptivespark.AdaptiveSparkExtensions|in-memory|nightly|true"
    ), ended.stderr[-2000:]


def test_a_spark_that_does_not_come_up_is_one_sentence(confs):
    ended = python(CONNECT, {**confs, "spark.master": "nonsense"})
    assert ended.stderr.strip().splitlines()[-1] == (
        "FailedToConnectError: Java ended before Spark was up; its own words are above. Check the master, the memory "
        "and the Java options in server_side_parameters, and that JAVA_HOME is a full JDK."
    )


def test_a_spark_that_was_stopped_from_java_is_started_anew(confs):
    program = CONNECT + textwrap.dedent("""
    handle.session.sparkContext._jsc.sc().stop()
    cursor = connect(profile, lambda: "node").cursor()
    cursor.execute("select adaptive_spark_version()")
    print(len(cursor.fetchall()))
    """)
    ended = python(program, confs)
    assert ended.stdout.strip() == "1", ended.stderr


EARLY = """
import threading
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.session import connect, start_early
profile = AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters=CONFS)
starting = threading.Thread(target=start_early, args=(profile,))
starting.start()
"""


def test_a_connection_takes_the_spark_that_is_starting(confs):
    program = (
        EARLY
        + """
handle = connect(profile, lambda: "node")
starting.join()
from pyspark import SparkContext
print(handle.statistics("select 1"), SparkContext._active_spark_context is handle.session.sparkContext)
"""
    )
    ended = python(program, confs)
    assert ended.stdout.strip() == "[Row(1=1)] True", ended.stderr


def test_spark_is_up_before_anyone_connects(confs):
    program = (
        EARLY
        + """
starting.join()
from pyspark import SparkContext
early = SparkContext._active_spark_context
print(early is not None and connect(profile, lambda: "node").session.sparkContext is early)
"""
    )
    assert python(program, confs).stdout.strip() == "True"


def test_a_start_that_failed_is_tried_again_and_said_by_who_waits_for_it(confs):
    program = (
        EARLY
        + """
starting.join()
try:
    connect(profile, lambda: "node")
except Exception as error:
    print(type(error).__name__, "spark.remote" in str(error))
del profile.server_side_parameters["spark.remote"]
print(connect(profile, lambda: "node").statistics("select 1"))
"""
    )
    ended = python(program, {**confs, "spark.remote": "sc://elsewhere"})
    assert ended.stdout.splitlines() == ["FailedToConnectError True", "[Row(1=1)]"], ended.stderr
