"""Spark in this process: one base session, a session of its own for each dbt connection, and a cursor that runs SQL."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf_specs import ENABLED
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.extension import prove_extension
from dbt.adapters.adaptive_spark.jars import check_java, find_jar, installed_line, spark_home
from dbt.adapters.adaptive_spark.quoting import bound
from dbt.adapters.adaptive_spark.session_conf import (
    COST_BASED,
    EXTENSION,
    missing_cost_based,
    session_conf,
    site_conf,
)

Description = tuple[str, str, None, None, None, None, bool]

_logger = AdapterLogger("AdaptiveSpark")
_lock = threading.Lock()
_engine: Engine | None = None
_CANCEL_EVERY_S = 0.1
_CANCEL_FOR_S = 30.0


@dataclass(frozen=True)
class Engine:
    """The Spark of this process: its base session, a quiet one that reads statistics without leaving any, and the
    confs of the profile that started it (none where someone else did). `session_confs` are those that a new session has
    to be given, since it does not have them from Spark's start."""

    base: SparkSession
    quiet: SparkSession
    profile: Mapping[str, str]
    session_confs: Mapping[str, str]

    @property
    def is_running(self) -> bool:
        return not _is_stopped(self.base.sparkContext)


def engine(credentials: AdaptiveSparkCredentials) -> Engine:
    """The running engine, built on the first call; later callers, of whatever thread, get the same one."""
    global _engine
    with _lock:
        if _engine is None or not _engine.is_running:
            _engine = _started(credentials)
        wanted = credentials.server_side_parameters
        if wanted != _engine.profile:
            _warn_of_other_confs(_engine, wanted)
            settable = {key: value for key, value in wanted.items() if _engine.base.conf.isModifiable(key)}
            # the profile, so that the next connection does not warn again
            _engine = replace(
                _engine, profile=wanted, session_confs={**_cost_based(_engine.base), **settable}
            )
        return _engine


def start_early(credentials: AdaptiveSparkCredentials) -> None:
    """Starts Spark and its metastore where nobody waits for them yet. Where that fails, the first connection tries again, and says so."""
    with suppress(Exception):
        _rows(engine(credentials).quiet, "show databases")


def connect(credentials: AdaptiveSparkCredentials, name: Callable[[], str | None]) -> SessionHandle:
    """A connection: a session that shares neither confs nor temporary views; `name` is the node it works for."""
    running = engine(credentials)
    session = running.base.newSession()
    for key, value in running.session_confs.items():
        session.conf.set(key, value)
    return SessionHandle(session, running.quiet, name)


def _started(credentials: AdaptiveSparkCredentials) -> Engine:
    _refuse_other_modes(credentials.server_side_parameters)
    _silence_pyspark()
    profile: Mapping[str, str] = {}
    context = SparkContext._active_spark_context
    if context is not None and _is_stopped(context):
        context.stop()  # Java's side has ended; PySpark would go on handing it out
    if SparkContext._active_spark_context is None:
        base, profile = start_spark(credentials), dict(credentials.server_side_parameters)
        spark, remedy = "Spark", "Look for a warning about it in Spark's log above, and check spark.jars."
    else:
        base = SparkSession.builder.getOrCreate()
        spark = f"the SparkContext {base.sparkContext.appName!r} that is already running in this process"
        remedy = (
            "Stop it before dbt starts (spark.stop()), or start it with spark.sql.extensions="
            f"{EXTENSION} and the extension's jar in spark.jars."
        )
    prove_extension(lambda sql: _rows(base.newSession(), sql), spark, remedy)
    quiet = base.newSession()
    quiet.conf.set(ENABLED, "false")
    return Engine(base, quiet, profile, _cost_based(base))


def _cost_based(base: SparkSession) -> Mapping[str, str]:
    """What uses statistics, save what Spark was started with: nothing where it was started here."""
    return missing_cost_based({key: base.conf.get(key, None) for key in COST_BASED})


def _is_stopped(context: SparkContext) -> bool:
    return context._jsc is None or context._jsc.sc().isStopped()


def _warn_of_other_confs(running: Engine, wanted: Mapping[str, str]) -> None:
    fixed = [
        key
        for key in wanted
        if not running.base.conf.isModifiable(key) and running.profile.get(key) != wanted[key]
    ]
    if fixed:
        _logger.warning(
            "Spark was already running in this process, so these confs of the profile have no effect: "
            f"{', '.join(fixed)}. Give them to Spark where it is started."
        )


def start_spark(credentials: AdaptiveSparkCredentials) -> SparkSession:
    """Starts this process's Spark as a profile wants it, with the extension among its own.

    Raises FailedToConnectError where Java or the extension's jar is missing or does not fit.
    """
    home = spark_home()
    jar = find_jar(credentials, installed_line(home))
    check_java()
    defaults = Path(os.environ.get("SPARK_CONF_DIR", home / "conf")) / "spark-defaults.conf"
    site = site_conf(defaults.read_text(encoding="utf-8").splitlines()) if defaults.is_file() else {}
    builder = SparkSession.builder
    for key, value in session_conf(credentials.server_side_parameters, site, jar).items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        if "JAVA_GATEWAY_EXITED" not in str(error):
            raise
        raise FailedToConnectError(
            "Java ended before Spark was up; its own words are above. Check the master, the memory and the Java options "
            "in server_side_parameters, and that JAVA_HOME is a full JDK."
        ) from error


def _refuse_other_modes(parameters: Mapping[str, str]) -> None:
    if "spark.remote" in parameters or "SPARK_REMOTE" in os.environ:
        raise FailedToConnectError(
            "method session runs Spark in this process, but spark.remote or SPARK_REMOTE names a Spark Connect server. "
            "Leave it out, or use method thrift."
        )
    if os.environ.get("PYSPARK_PIN_THREAD", "true").lower() != "true":
        raise FailedToConnectError(
            "PYSPARK_PIN_THREAD is off, so Spark could not tell the jobs of dbt's threads apart. Unset it."
        )


def _silence_pyspark() -> None:
    """Since 4.0 PySpark prints each SQL error as JSON with Java's stack on stderr; dbt prints the error itself."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # 3.5 does not print it
        return
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    logger.disabled = True


class SessionHandle:
    """What dbt holds as a connection. Dropping its session drops its confs and temporary views."""

    def __init__(self, session: SparkSession, quiet: SparkSession, name: Callable[[], str | None]) -> None:
        self._session: SparkSession | None = session
        self._quiet = quiet
        self._name = name
        self._running: set[Cursor] = set()

    @property
    def session(self) -> SparkSession:
        """Raises DbtRuntimeError once the connection is closed."""
        if self._session is None:
            raise DbtRuntimeError("The connection is closed.")
        return self._session

    def cursor(self) -> Cursor:
        return Cursor(self.session, self._name, self._running)

    def statistics(self, sql: str) -> Sequence[Sequence[Any]]:
        """The rows of a query about earlier ones, run where no filter is watched and no node is named."""
        return _rows(self._quiet, sql)

    def cancel(self) -> None:
        """Ends what other threads run on this connection; their statements raise."""
        for cursor in tuple(self._running):
            cursor.cancel()

    def close(self) -> None:
        # not session.stop(), which would stop Spark under every other connection
        self._session = None

    def rollback(self) -> None:
        """Spark has no transactions."""

    def explicit(self, keys: Iterable[str]) -> Mapping[str, str | None]:
        return {key: self.session.conf.get(key, None) for key in keys}

    def set(self, entry: ConfEntry) -> None:
        self.session.conf.set(entry.key, entry.value)

    def unset(self, key: str) -> None:
        self.session.conf.unset(key)


class Cursor:
    """Runs one statement at a time, to its end: a query that fails does so in `execute`, fetched or not."""

    def __init__(self, session: SparkSession, name: Callable[[], str | None], running: set[Cursor]) -> None:
        self._session = session
        self._name = name
        self._running = running
        self._tag = ""
        self._rows: deque[Sequence[Any]] | None = None
        self._description: list[Description] = []
        self._cancelled = False
        self._ended = threading.Event()

    @property
    def description(self) -> list[Description]:
        """One entry a column of the last statement; none before it, nor where it has no columns."""
        return self._description

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        """Runs `sql`, its `%s` replaced by `bindings`. Raises DbtDatabaseError with Spark's reason."""
        text = sql.strip().removesuffix(";")
        if bindings is not None:
            text = bound(text, bindings)
        self._rows, self._description = None, []
        self._begin(self._session.sparkContext)
        try:
            frame = self._session.sql(text)
            fields = frame.schema.fields
            # a command has run by now; to collect nothing from it would be another query, planned and told to listeners
            rows = [] if not fields and _is_command(frame) else frame.collect()
        except (PySparkException, Py4JJavaError) as error:
            self._refuse_cancelled()
            raise DbtDatabaseError(_reason(error)) from error
        finally:
            self._end(self._session.sparkContext)
        self._refuse_cancelled()
        self._rows = deque(rows)
        self._description = [
            (column.name, column.dataType.simpleString(), None, None, None, None, column.nullable)
            for column in fields
        ]

    def fetchone(self) -> Sequence[Any] | None:
        """The next row, or None after the last."""
        rows = self._fetched()
        return rows.popleft() if rows else None

    def fetchmany(self, size: int = 1) -> list[Sequence[Any]]:
        """The next rows, at most `size`."""
        rows = self._fetched()
        return [rows.popleft() for _ in range(min(size, len(rows)))]

    def fetchall(self) -> list[Sequence[Any]]:
        """All rows that are left."""
        return self.fetchmany(len(self._fetched()))

    def close(self) -> None:
        self._rows, self._description = None, []

    def cancel(self) -> None:
        """From another thread: cancels the statement's jobs until it has ended, since one job may start the next."""
        self._cancelled = True
        context = self._session.sparkContext
        for _ in range(round(_CANCEL_FOR_S / _CANCEL_EVERY_S)):
            context.cancelJobsWithTag(self._tag)
            if self._ended.wait(_CANCEL_EVERY_S):
                return
        _logger.warning(f"A cancelled statement has not ended after {_CANCEL_FOR_S:.0f} s.")

    def _refuse_cancelled(self) -> None:
        if self._cancelled:
            raise DbtDatabaseError("The statement was cancelled.")

    def _fetched(self) -> deque[Sequence[Any]]:
        if self._rows is None:
            raise DbtRuntimeError("There is nothing to fetch: no statement has run on this cursor.")
        return self._rows

    def _begin(self, context: SparkContext) -> None:
        self._tag = f"dbt-{uuid4().hex}"
        self._cancelled = False
        self._ended.clear()
        # these are properties of the calling thread's own thread in Java (pinned thread mode)
        context.addJobTag(self._tag)
        context.setJobDescription(self._name() or "dbt")
        context.setInterruptOnCancel(True)
        self._running.add(self)

    def _end(self, context: SparkContext) -> None:
        self._running.discard(self)
        self._ended.set()
        if context._jsc is not None:
            context.removeJobTag(self._tag)
            context.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]  # None removes it


def _is_command(frame: Any) -> bool:
    ran = frame._jdf.queryExecution().commandExecuted()
    return bool(ran.getClass().getSimpleName() == "CommandResult")


def _rows(session: SparkSession, sql: str) -> Sequence[Sequence[Any]]:
    """The rows of a query of the adapter's own. Raises RuntimeError with Spark's reason."""
    try:
        return session.sql(sql).collect()
    except (PySparkException, Py4JJavaError) as error:
        raise RuntimeError(_reason(error)) from error


def _reason(error: PySparkException | Py4JJavaError) -> str:
    """What Spark says. PySpark leaves errors that it does not know with Java's whole stack as their text."""
    return str(error) if isinstance(error, PySparkException) else str(error.java_exception.toString())
