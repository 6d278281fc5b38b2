"""How Spark starts, and what a user reads where it cannot; each in a Python of its own,
since a process has one Spark.
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from dbt.adapters.adaptive_spark.spark.installation import with_extension

ROOT = Path(__file__).parents[2]

CONNECT = """
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions
profile = AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters=CONFS)
sessions = CommandSessions(profile)
try:
    handle = sessions.connect(lambda: "node")
except Exception as error:
    raise SystemExit(f"{type(error).__name__}: {error.msg}")
"""

# A program's own Spark, with the extension
OF_A_PROGRAM = """
from pyspark.sql import SparkSession
from dbt.adapters.adaptive_spark.spark.installation import find_jar, installed_line, spark_home
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
mine = AdaptiveSparkCredentials(database=None, schema="default")
builder = SparkSession.builder.config("spark.jars", find_jar(mine, installed_line(spark_home())))
builder = builder.config("spark.sql.extensions", "io.adaptivespark.AdaptiveSparkExtensions")
for key, value in {**CONFS, "spark.sql.cbo.joinReorder.enabled": "false"}.items():
    builder = builder.config(key, value)
builder.getOrCreate()
"""


IN_A_MOMENT = "from dbt.adapters.adaptive_spark.spark import long_wait; long_wait._MOMENT_S = 3_600\n"


def python(program, confs):
    """The end of a program, without words on how long it waits.

    Its stderr ends with the sentence that it stopped with.
    """
    text = f"CONFS = {confs!r}\n{IN_A_MOMENT}{textwrap.dedent(program)}"
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
        "already running in this process. Stop it before dbt starts (spark.stop()), or start it "
        f"{with_extension()}."
    )


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


LOUD = """
from dbt.adapters.adaptive_spark.spark import local_session
local_session._logger.warning = print
"""
# beside ours, in a program's own Spark
OF_THEIRS = """
builder.config("spark.jars", find_jar(mine, installed_line(spark_home())) + "," + CONFS["spark.jars"]).config(
    "spark.sql.extensions", "org.example.Counted,io.adaptivespark.AdaptiveSparkExtensions").getOrCreate()
"""
EXTENSIONS = {
    "Throws": 'throw new IllegalStateException("no licence");',
    "Unlinked": 'throw new NoClassDefFoundError("org/example/Base");',
    "Counted": """System.setProperty("applied", Integer.getInteger("applied", 0) + 1 + "");
        return scala.runtime.BoxedUnit.UNIT;""",
    "Resolving": """extensions.injectResolutionRule(session -> { throw new IncompatibleClassChangeError("View"); });
        return scala.runtime.BoxedUnit.UNIT;""",
}
SOURCE = """
package org.example;
public class {name} extends
    scala.runtime.AbstractFunction1<org.apache.spark.sql.SparkSessionExtensions, scala.runtime.BoxedUnit> {{
  public scala.runtime.BoxedUnit apply(org.apache.spark.sql.SparkSessionExtensions extensions) {{ {body} }}
}}
"""


@pytest.fixture(scope="module")
def extensions_jar(tmp_path_factory):
    """A jar with extensions of another project, each with a fault of its own."""
    from dbt.adapters.adaptive_spark.spark.installation import spark_home

    folder = tmp_path_factory.mktemp("extensions")
    sources = {name: SOURCE.format(name=name, body=body) for name, body in EXTENSIONS.items()}
    sources["NoFunction"] = "package org.example; public class NoFunction {}"
    for name, text in sources.items():
        (folder / f"{name}.java").write_text(text)
    home = os.environ.get("JAVA_HOME")
    javac = shutil.which("javac", path=Path(home) / "bin" if home else None)
    files = [str(folder / f"{name}.java") for name in sources]
    subprocess.run(
        [javac, "-cp", f"{spark_home()}/jars/*", "-d", str(folder / "classes"), *files], check=True
    )
    with zipfile.ZipFile(folder / "theirs.jar", "w") as jar:
        for file in (folder / "classes").rglob("*.class"):
            jar.write(file, file.relative_to(folder / "classes"))
    return str(folder / "theirs.jar")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Throws", "does not work: java.lang.IllegalStateException: no licence. "),
        ("Resolving", "does not work: java.lang.IncompatibleClassChangeError: View. "),
    ],
)
def test_an_extension_of_others_that_keeps_spark_from_working_is_named(confs, extensions_jar, name, sentence):
    mine = {"spark.sql.extensions": f"org.example.{name}", "spark.jars": extensions_jar}
    again = "try:\n    CommandSessions(profile).connect(lambda: 'node')\nexcept Exception as error:\n    print(error.msg)\n"
    program = CONNECT.replace("raise SystemExit(", "print(") + again
    expected = (
        f"The extension org.example.{name} in spark.sql.extensions {sentence}"
        "Use its release for this Spark, or leave it out."
    )
    ended = python(program, {**confs, **mine})
    assert ended.stdout.splitlines() == [f"FailedToConnectError: {expected}", expected], ended.stderr[-2000:]


def test_extensions_of_others_that_spark_leaves_out_are_warnings(confs, extensions_jar):
    use_its_release = "Use its release for this Spark, or leave it out."
    faults = {
        "Missing": "is not loaded: there is no such class on Spark's class path. Add its package to spark.jars.packages or "
        "its jar to spark.jars, or leave it out.",
        "NoFunction": f"does not work: it is not a function of SparkSessionExtensions. {use_its_release}",
        "Unlinked": f"does not work: java.lang.NoClassDefFoundError: org/example/Base. {use_its_release}",
    }
    mine = {
        "spark.sql.extensions": ",".join(f"org.example.{name}" for name in faults),
        "spark.jars": extensions_jar,
    }
    ended = python(LOUD + CONNECT + 'print(handle.statistics("select 1"))', {**confs, **mine})
    assert ended.stdout.splitlines() == [
        *(
            f"The extension org.example.{name} in spark.sql.extensions {fault}"
            for name, fault in faults.items()
        ),
        "[Row(1=1)]",
    ], ended.stderr[-2000:]


def test_an_extension_of_others_is_applied_as_often_as_spark_alone_does(confs, extensions_jar):
    mine = {"spark.sql.extensions": "org.example.Counted", "spark.jars": extensions_jar}
    ask = """
    handles = [handle, *(CommandSessions(profile).connect(lambda: "node", each) for each in (True, False))]
    handles[-1].statistics("select 1")
    print(handle.session._jvm.java.lang.System.getProperty("applied"))
    """
    for program in (
        LOUD + CONNECT,
        OF_A_PROGRAM.replace("builder.getOrCreate()", OF_THEIRS) + LOUD + CONNECT,
    ):
        ended = python(program + textwrap.dedent(ask), {**confs, **mine})
        assert ended.stdout.splitlines()[-1] == "1", ended.stderr[-2000:]


def test_a_log_at_level_error_hides_no_extension_whose_class_is_missing(confs, extensions_jar):
    mine = {"spark.sql.extensions": "org.example.Missing", "spark.log.level": "ERROR"}
    ended = python(LOUD + CONNECT, {**confs, **mine})
    (sentence,) = ended.stdout.splitlines()
    assert sentence.startswith("The extension org.example.Missing in spark.sql.extensions is not loaded: ")


def test_a_conf_that_spark_does_not_start_with_is_one_sentence(confs):
    ended = python(CONNECT, {**confs, "spark.driver.port": "1"})
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith(
        "FailedToConnectError: Spark does not start: java.lang.IllegalArgumentException: requirement failed: startPort"
    ), ended.stderr[-2000:]


HOLD = """
import time
handle.statistics("show databases")
print("open", flush=True)
time.sleep(120)
"""


def on_derby(confs, folder):
    options = f"-Dderby.system.home={folder}"
    return {**confs, "spark.sql.catalogImplementation": "hive", "spark.driver.extraJavaOptions": options}


def test_a_metastore_that_another_process_holds_is_one_sentence(confs, tmp_path):
    confs = on_derby(confs, tmp_path)
    first = subprocess.Popen(
        [sys.executable, "-c", f"CONFS = {confs!r}\n{CONNECT}{HOLD}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert "open\n" in iter(first.stdout.readline, "")
        second = python(CONNECT, confs)
    finally:
        first.kill()
        first.wait()
    log = second.stderr.strip().splitlines()
    assert log[-1] == (
        f"FailedToConnectError: Spark's metastore {tmp_path}/metastore_db is in use by another process, such as another "
        "dbt or a notebook: Derby, which Spark keeps it in by default, serves one at a time. Wait until that one has "
        "ended, or start dbt in another folder, or name a metastore that several can use (spark.hadoop.hive.metastore.uris, "
        "or a database server in spark.hadoop.javax.jdo.option.ConnectionURL)."
    )
    assert len(log) < 30, second.stderr


def test_a_metastore_that_is_free_is_used(confs, tmp_path):
    program = CONNECT + 'print(handle.statistics("show databases"))'
    ended = python(program, on_derby(confs, tmp_path))
    assert ended.stdout.splitlines() == ["[Row(namespace='default')]"], ended.stderr[-2000:]


def test_confs_that_a_programs_spark_has_already_are_not_warned_of(confs):
    program = """
    from pyspark.sql import SparkSession
    from dbt.adapters.adaptive_spark.spark.installation import find_jar, installed_line, spark_home
    from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
    mine = AdaptiveSparkCredentials(database=None, schema="default")
    builder = SparkSession.builder.config("spark.jars", find_jar(mine, installed_line(spark_home())))
    builder = builder.config("spark.sql.extensions", "io.adaptivespark.AdaptiveSparkExtensions")
    for key, value in CONFS.items():
        builder = builder.config(key, value)
    builder.getOrCreate()
    CONFS["spark.app.name"] = "nightly"
    """
    ended = python(textwrap.dedent(program) + LOUD + CONNECT, confs)
    assert ended.stdout.splitlines() == [
        "Spark was already running in this process, so these confs of the profile have no effect: spark.app.name. "
        "Give them to Spark where it is started."
    ], ended.stderr[-2000:]
