"""Starts this process's Spark as a profile wants it, and refuses what would keep it from working under dbt."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyspark
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.class_path import may_have
from dbt.adapters.adaptive_spark.spark.fetched_jars import ivy_folder, remember_jars
from dbt.adapters.adaptive_spark.spark.installation import (
    SparkLine,
    check_java,
    check_pyspark,
    find_jar,
    installed_line,
    spark_home,
)
from dbt.adapters.adaptive_spark.spark.ivy_settings import hosts_first
from dbt.adapters.adaptive_spark.spark.session_conf import JARS_KEY, listed, session_conf, site_conf
from dbt.adapters.adaptive_spark.spark.spark_log import with_quiet_log
from dbt.adapters.adaptive_spark.spark.table_formats import PACKAGES_KEY, Machine, Start, with_formats

_logger = AdapterLogger("AdaptiveSpark")
# By these pyspark speaks to a Spark Connect server. The last variable it sets itself, once a program does.
_REMOTE_CONFS = ("spark.remote", "spark.api.mode")
_CLASSIC = "classic"
# by name, with what is as if it were not there
_REMOTE_VARIABLES = {
    "SPARK_REMOTE": "-",
    "SPARK_API_MODE": _CLASSIC,
    "SPARK_CONNECT_MODE": "0",
    "SPARK_CONNECT_MODE_ENABLED": "-",
}
_SUBMIT_ARGUMENTS = "PYSPARK_SUBMIT_ARGS"
_JARS_OPTION = re.compile(r"(?:^|\s)(--jars|--packages)[\s=]")


def start_spark(credentials: AdaptiveSparkCredentials, formats: Iterable[str] = ()) -> SparkSession.Builder:
    """Starts this process's Spark as a profile wants it, with the extension among its own, and for table `formats`.

    Returns what makes its session, which applies the extensions.

    Raises FailedToConnectError where Java, pyspark or a jar is missing or does not fit.
    """
    home = spark_home()
    line = installed_line(home)
    jar = find_jar(credentials, line)
    check_pyspark(line, home, pyspark.__version__)
    check_java()
    folder, site = _conf_folder(home), site_of(home)
    builder, conf = SparkSession.builder, SparkConf()
    given = session_conf(credentials.server_side_parameters, site, jar)
    machine = Machine(line, home, site, may_have("hive-site.xml", {**site, **given}, os.environ, folder))
    wanted = with_formats(given, formats, machine)
    for sentence in wanted.brought:
        _logger.info(sentence)
    for sentence in wanted.left_out:
        _logger.warning(sentence)
    _warn_of_submit_arguments(wanted.fetching)
    places = _places_of_jars({**site, **given}, wanted, line)
    for key, value in with_quiet_log({**wanted.conf, **places}, site, os.environ, folder).items():
        builder = builder.config(key, value)
        conf.set(key, value)
    try:
        launched = _launched_jars(conf)
        if launched:
            # PySpark would set spark.jars again without those of packages, which executors need.
            builder = builder.config(JARS_KEY, launched)
            conf.set(JARS_KEY, launched)
        SparkContext.getOrCreate(conf)
    except PySparkRuntimeError as error:
        if "JAVA_GATEWAY_EXITED" not in str(error):
            raise
        raise FailedToConnectError(_not_up(wanted.fetching)) from error
    if wanted.fetching:
        with suppress(OSError):  # then Spark resolves the release the next time, too
            remember_jars(ivy_folder({**site, **wanted.conf}, line), wanted.fetching, listed(launched))
    return builder


def _conf_folder(home: Path) -> Path:
    """The folder of Spark's configuration."""
    return Path(os.environ.get("SPARK_CONF_DIR", home / "conf"))


def site_of(home: Path) -> Mapping[str, str]:
    """The confs of `spark-defaults.conf`."""
    defaults = _conf_folder(home) / "spark-defaults.conf"
    return site_conf(defaults.read_text(encoding="utf-8").splitlines()) if defaults.is_file() else {}


def _not_up(fetching: str | None) -> str:
    if fetching is None:
        return (
            "Java ended before Spark was up; its own words are above. Check the master, the memory and the Java options "
            "in server_side_parameters, and that JAVA_HOME is a full JDK."
        )
    return (
        f"Java ended before Spark was up, which had {fetching} to fetch from Maven Central; its own words are above. "
        f"Where that cannot be reached, name the jars in {JARS_KEY}, or a mirror in spark.jars.repositories, under "
        "server_side_parameters."
    )


def _warn_of_submit_arguments(fetching: str | None) -> None:
    """Warns where options of `spark-submit` take the place of the confs that name our jar and those of a format."""
    for option in _JARS_OPTION.findall(os.environ.get(_SUBMIT_ARGUMENTS, "")):
        if option == "--jars" or fetching is not None:
            conf = JARS_KEY if option == "--jars" else PACKAGES_KEY
            _logger.warning(
                f"{option} in {_SUBMIT_ARGUMENTS} takes the place of the jars that dbt adds. "
                f"Write them as {conf} under server_side_parameters."
            )


def _places_of_jars(given: Mapping[str, str], wanted: Start, line: SparkLine) -> Mapping[str, str]:
    """Where Spark looks for jars, if it has to fetch any and all of them are those of formats; else, where it does by
    default or by the user's `given` confs.
    """
    if PACKAGES_KEY not in wanted.conf or PACKAGES_KEY in given:
        return {}
    with suppress(OSError, RuntimeError):  # a folder that cannot be written, or no home
        return hosts_first(given, ivy_folder(given, line))
    return {}


def _launched_jars(conf: SparkConf) -> str:
    """Launches Java, and tells the jars that it was given: those of spark.jars and of spark.jars.packages.

    Empty where Java runs already, since a Spark that has ended was launched with other jars.
    """
    if SparkContext._gateway is not None:
        return ""
    SparkContext._ensure_initialized(conf=conf)
    jvm: Any = SparkContext._jvm
    return str(jvm.java.lang.System.getProperty(JARS_KEY) or "")


def refuse_other_modes(parameters: Mapping[str, str]) -> None:
    remote = [key for key in _REMOTE_CONFS if parameters.get(key, _CLASSIC).lower() != _CLASSIC]
    remote += [
        name for name, absent in _REMOTE_VARIABLES.items() if os.environ.get(name, absent).lower() != absent
    ]
    if remote:
        raise FailedToConnectError(
            f"method session runs Spark in this process, but {remote[0]} asks for a Spark Connect server. "
            "Leave it out, or use method thrift. A program that has used such a server needs another Python for dbt."
        )
    if os.environ.get("PYSPARK_PIN_THREAD", "true").lower() != "true":
        raise FailedToConnectError(
            "PYSPARK_PIN_THREAD is off, so Spark could not tell the jobs of dbt's threads apart. Unset it."
        )


def silence_pyspark() -> None:
    """Since 4.0 PySpark prints each SQL error as JSON with Java's stack on stderr, and Py4J each call that got no
    answer, with Python's; dbt prints the error itself."""
    logging.getLogger().addFilter(_is_not_py4js)
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # 3.5 does not print it
        return
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    logger.disabled = True


def _is_not_py4js(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"
