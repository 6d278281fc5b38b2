"""How Spark starts, and what a user reads where it cannot; each in a Python of its own,
since a process has one Spark.
"""

import re
import textwrap

import pytest
from programs import CONNECT, LOUD, OF_A_PROGRAM, on_derby, python

from dbt.adapters.adaptive_spark.spark.installation import with_extension


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
        f"already running in this process. Start it {with_extension()}, or restart Python and let dbt start Spark."
    )


def test_a_java_that_was_launched_without_the_jar_is_told_of(confs):
    program = """
    from pyspark.sql import SparkSession
    builder = SparkSession.builder
    for key, value in CONFS.items():
        builder = builder.config(key, value)
    builder.getOrCreate().stop()
    """
    ended = python(textwrap.dedent(program) + CONNECT, confs)
    assert ended.stderr.strip().splitlines()[-1] == (
        "FailedToConnectError: The adaptive-spark extension is not loaded in Spark. An earlier Spark of this process was "
        "launched without its jar, and Java keeps that. Restart Python."
    )


def test_a_format_that_a_running_spark_was_not_started_with_is_told_of_once(confs):
    program = """
    sessions = CommandSessions(profile, ["iceberg"])
    sessions.connect(lambda: "node")
    sessions.connect(lambda: "another")
    """
    ours = python(CONNECT + LOUD + textwrap.dedent(program), confs)
    sentence = "Spark is already running in this process, without Apache Iceberg, which models with file_format iceberg need."
    remedy = "Write file_format: iceberg into a comment of dbt_project.yml, so that dbt finds it before Spark starts."
    (told,) = ours.stdout.splitlines()
    assert told.startswith(f"{sentence} {remedy} If an earlier command started this Spark, "), ours.stderr[
        -2000:
    ]
    programs = python(OF_A_PROGRAM + LOUD + CONNECT + textwrap.dedent(program), confs)
    (told,) = programs.stdout.splitlines()
    assert told.startswith(
        f"{sentence} Start it with spark.sql.extensions=io.adaptivespark.AdaptiveSparkExtensions,"
    )


def test_confs_that_a_later_profile_lacks_and_spark_keeps_are_told_of(confs):
    program = """
    profile = AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters={
        key: value for key, value in CONFS.items() if key != "spark.ui.enabled"
    })
    for _ in range(2):
        CommandSessions(profile).connect(lambda: "node")
    """
    ended = python(CONNECT + LOUD + textwrap.dedent(program), {**confs, "spark.ui.enabled": "false"})
    assert ended.stdout.splitlines() == [
        "Spark was started in this process with confs that this profile lacks, and keeps them: spark.ui.enabled. "
        "Run this command in a process of its own to be without them."
    ], ended.stderr[-2000:]


@pytest.mark.parametrize(
    ("confs", "environment"),
    [
        ({"spark.api.mode": "connect"}, {}),
        ({}, {"SPARK_REMOTE": "sc://elsewhere"}),
        ({}, {"SPARK_CONNECT_MODE": "1"}),
        ({}, {"SPARK_CONNECT_MODE_ENABLED": ""}),
    ],
)
def test_a_spark_connect_that_something_asks_for_is_one_sentence(confs, environment):
    key = next(iter({**confs, **environment}))
    ended = python(CONNECT, confs, **environment)
    assert ended.stderr.strip().splitlines()[-1] == (
        f"FailedToConnectError: method session runs Spark in this process, but {key} asks for a Spark Connect server. "
        "Leave it out, or use method thrift. A program that has used such a server needs another Python for dbt."
    )


def test_options_of_spark_submit_that_take_our_jars_place_are_told_of(confs):
    program = LOUD.replace("local_session", "start_spark") + CONNECT
    ended = python(program, confs, PYSPARK_SUBMIT_ARGS="--jars /none.jar pyspark-shell")
    assert ended.stdout.splitlines()[0] == (
        "--jars in PYSPARK_SUBMIT_ARGS takes the place of the jars that dbt adds. "
        "Write them as spark.jars under server_side_parameters."
    ), ended.stderr[-2000:]


def test_statistics_are_used_in_a_context_that_is_already_running(confs):
    ask = """
    keys = ["spark.sql.cbo.enabled", "spark.sql.statistics.histogram.enabled", "spark.sql.cbo.joinReorder.enabled"]
    print(*handle.explicit(keys).values(), sep="|")
    """
    ended = python(OF_A_PROGRAM + CONNECT + textwrap.dedent(ask), confs)
    assert ended.stdout.splitlines()[-1] == "true|true|false", ended.stderr[-2000:]


def test_a_value_that_a_programs_spark_refuses_is_one_sentence(confs):
    ask = """
    from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions
    for key, value in (("spark.sql.shuffle.partitions", "few"), ("spark.sql.mapKeyDedupPolicy", "hunter2")):
        profile = AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters={key: value})
        try:
            CommandSessions(profile).connect(lambda: "node")
        except Exception as error:
            print(type(error).__name__, error.msg, error.__cause__ is None, sep="|")
    """
    ended = python(OF_A_PROGRAM + textwrap.dedent(ask), confs)
    few, secret = (line.split("|") for line in ended.stdout.splitlines()[-2:])
    assert few[0] == "FailedToConnectError", ended.stderr[-2000:]
    # Spark's own words differ from line to line.
    refused = "server_side_parameters: spark.sql.shuffle.partitions: few is refused by Spark: "
    assert few[1].startswith(refused) and len(few[1]) > len(refused)
    assert secret == [
        "FailedToConnectError",
        "server_side_parameters: spark.sql.mapKeyDedupPolicy: (hidden) is refused by Spark.",
        "True",
    ]


def test_the_users_own_extensions_and_catalog_stay(confs):
    mine = {
        "spark.sql.extensions": "org.example.TheirExtensions",
        "spark.app.name": "nightly",
        "spark.sql.ansi.enabled": "true",
    }
    program = CONNECT + textwrap.dedent("""
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(4) as threads:
        handles = list(threads.map(lambda at: sessions.connect(lambda: "node"), range(4)))
    assert len({id(each.session.sparkContext) for each in handles}) == 1
    assert len({id(each.session) for each in handles}) == 4
    keys = ["spark.sql.extensions", "spark.sql.catalogImplementation", "spark.app.name", "spark.sql.ansi.enabled"]
    print(*handle.explicit(keys).values(), sep="|")
    """)
    ended = python(program, {**confs, **mine})
    assert ended.stdout.splitlines()[-1] == (
        "io.adaptivespark.AdaptiveSparkExtensions,org.example.TheirExtensions|in-memory|nightly|true"
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
    cursor = CommandSessions(profile).connect(lambda: "node").cursor()
    cursor.execute("select adaptive_spark_version()")
    print(len(cursor.fetchall()))
    """)
    ended = python(program, confs)
    assert ended.stdout.strip() == "1", ended.stderr


EARLY = """
import threading
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions, start_early
profile = AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters=CONFS)
starting = threading.Thread(target=start_early, args=(profile,))
starting.start()
"""


def test_a_connection_takes_the_spark_that_is_starting(confs):
    program = (
        EARLY
        + """
handle = CommandSessions(profile).connect(lambda: "node")
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
print(early is not None and CommandSessions(profile).connect(lambda: "node").session.sparkContext is early)
"""
    )
    assert python(program, confs).stdout.strip() == "True"


def test_who_waits_for_spark_reads_that_it_starts_and_when_it_is_up(confs):
    program = """
from dbt.adapters.adaptive_spark.spark import local_session, long_wait
long_wait._MOMENT_S = 0
local_session._note = print
"""
    ended = python(program + CONNECT + 'sessions.connect(lambda: "another")', confs)
    starting, is_up = ended.stdout.splitlines()
    assert starting == "Starting Spark …", ended.stderr[-2000:]
    assert re.fullmatch(r"Spark \d+\.\d+\.\d+ is up after .+", is_up)


CHATTER = (
    *("log4j profile", "default log level", "adjust logging level", "NativeCodeLoader", "HiveConf"),
    *("SessionState", "ObjectStore", "loopback address", "SPARK_LOCAL_IP"),
)
WARNING = """
log = handle.session._jvm.org.slf4j.LoggerFactory.getLogger("org.apache.spark.Somebody")
log.info("a trifle")
log.warn("a warning of Spark's")
log.error("an error of Spark's")
"""


def test_a_normal_start_logs_no_chatter_and_every_warning_after_it(confs, tmp_path):
    program = CONNECT + 'handle.statistics("show databases")' + WARNING
    ended = python(program, on_derby(confs, tmp_path))
    assert [word for word in CHATTER if word in ended.stderr] == [], ended.stderr
    assert "WARN Somebody: a warning of Spark's" in ended.stderr
    assert "ERROR Somebody: an error of Spark's" in ended.stderr
    assert "a trifle" not in ended.stderr


def test_a_log_that_the_user_has_configured_is_as_it_was(confs, tmp_path, monkeypatch):
    (tmp_path / "log4j2.properties").write_text(MINE)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    ended = python(CONNECT + WARNING, confs)
    assert "MINE INFO a trifle" in ended.stderr, ended.stderr[-2000:]
    assert "MINE WARN Unable to load native-hadoop library" in ended.stderr


MINE = """
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = MINE %p %m%n
logger.somebody.name = org.apache.spark.Somebody
logger.somebody.level = info
"""


def test_a_start_that_failed_is_tried_again_and_said_by_who_waits_for_it(confs):
    program = (
        EARLY
        + """
starting.join()
try:
    CommandSessions(profile).connect(lambda: "node")
except Exception as error:
    print(type(error).__name__, "spark.remote" in str(error))
del profile.server_side_parameters["spark.remote"]
print(CommandSessions(profile).connect(lambda: "node").statistics("select 1"))
"""
    )
    ended = python(program, {**confs, "spark.remote": "sc://elsewhere"})
    assert ended.stdout.splitlines() == ["FailedToConnectError True", "[Row(1=1)]"], ended.stderr


def test_a_conf_that_spark_does_not_start_with_is_one_sentence(confs):
    ended = python(CONNECT, {**confs, "spark.driver.port": "1"})
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith(
        "FailedToConnectError: Spark does not start: java.lang.IllegalArgumentException: requirement failed: startPort"
    ), ended.stderr[-2000:]


def test_confs_that_a_programs_spark_has_already_are_not_warned_of(confs):
    nightly = 'CONFS["spark.app.name"] = "nightly"'
    ended = python(OF_A_PROGRAM + nightly + LOUD + CONNECT, confs)
    assert ended.stdout.splitlines() == [
        "Spark was already running in this process, so these confs of the profile have no effect: spark.app.name. "
        "Give them to Spark where it is started."
    ], ended.stderr[-2000:]
