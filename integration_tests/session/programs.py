"""A program that starts Spark or finds one: its pieces, and a Python of its own to run it in."""

import os
import subprocess
import sys
import textwrap

from projects import ROOT

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

LOUD = """
from dbt.adapters.adaptive_spark.spark import local_session
local_session._logger.warning = print
"""

IN_A_MOMENT = "from dbt.adapters.adaptive_spark.spark import long_wait; long_wait._MOMENT_S = 3_600\n"


def python(program, confs, folder=ROOT, **environment):
    """The end of a program, without words on how long it waits.

    Its stderr ends with the sentence that it stopped with.
    """
    text = f"CONFS = {confs!r}\n{IN_A_MOMENT}{textwrap.dedent(program)}"
    return subprocess.run(
        [sys.executable, "-c", text],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def on_derby(confs, folder):
    options = f"-Dderby.system.home={folder}"
    return {**confs, "spark.sql.catalogImplementation": "hive", "spark.driver.extraJavaOptions": options}
