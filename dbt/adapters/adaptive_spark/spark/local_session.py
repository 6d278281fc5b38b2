"""Spark in this process: one engine, the sessions of a dbt command as copies of its base, and a cursor that runs SQL.

Who sees what is told in docs/sessions.md.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any
from uuid import uuid4

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.sql import SparkSession
from pyspark.sql.conf import RuntimeConfig

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_keys import ENABLED
from dbt.adapters.adaptive_spark.conf.conf_scope import FixedAtStart, is_fixed, refuse_of_start
from dbt.adapters.adaptive_spark.conf.quoting import bound
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.extension_check import prove_extension
from dbt.adapters.adaptive_spark.spark.installation import (
    check_java,
    find_jar,
    installed_line,
    spark_home,
    with_extension,
)
from dbt.adapters.adaptive_spark.spark.metastore import refuse_locked
from dbt.adapters.adaptive_spark.spark.other_extensions import culprit, unloaded
from dbt.adapters.adaptive_spark.spark.session_conf import (
    SESSION_DEFAULTS,
    missing_defaults,
    session_conf,
    site_conf,
)
from dbt.adapters.adaptive_spark.spark.spark_end import SparkEndedError, context_stopped, process_ended

Description = tuple[str, str, None, None, None, None, bool]

_logger = AdapterLogger("AdaptiveSpark")
_lock = threading.Lock()
_engine: Engine | None = None
# of the start that nobody waited for
_early_failure: tuple[AdaptiveSparkCredentials, Exception] | None = None
# spark.driver.memory of the engine: once its process has ended, nobody can be asked
_memory: str | None = None
_END_WITHIN_S = 5.0
_CANCEL_EVERY_S = 0.1
_CANCEL_FOR_S = 30.0


@dataclass(frozen=True)
class Engine:
    """The Spark of this process: the session that its program sees, and a quiet one that reads statistics without
    leaving any. `profile` is the last one that asked for it; before that, none where a program started it."""

    base: SparkSession
    quiet: SparkSession
    profile: Mapping[str, str]
    is_ours: bool

    @property
    def is_running(self) -> bool:
        return not _is_stopped(self.base.sparkContext)


class CommandSessions:
    """The sessions of one dbt command: `own` is a copy of the program's session with the profile's confs, which the
    start of the run sets up, and of which every other connection gets a copy."""

    def __init__(self, credentials: AdaptiveSparkCredentials) -> None:
        self._credentials = credentials
        self._lock = threading.Lock()
        self._begun: tuple[Engine, SparkSession] | None = None

    def connect(self, name: Callable[[], str | None], is_own: bool = False) -> SessionHandle:
        """A connection to a copy, or to `own` itself; `name` is the node it works for.

        Raises SparkEndedError once Spark has ended: what the run's start set up would be missing in another one.
        """
        with self._lock:
            if self._begun is None:
                self._begun = self._begin()
        running, own = self._begun
        with _told_when_spark_ends(own.sparkContext):
            session = own if is_own else _copy(own)
        return SessionHandle(session, running.quiet, name)

    def _begin(self) -> tuple[Engine, SparkSession]:
        running = engine(self._credentials)
        with _told_when_spark_ends(running.base.sparkContext):
            own = _copy(running.base)
            fixed = _set_where_it_differs(own, self._credentials.server_side_parameters)
            for key, value in _defaults(own).items():
                own.conf.set(key, value)
        _warn_of_other_confs(running, self._credentials.server_side_parameters, fixed)
        return running, own


def engine(credentials: AdaptiveSparkCredentials) -> Engine:
    """The running engine, built on the first call; later callers, of whatever thread, get the same one."""
    global _early_failure
    with _lock:
        failure, _early_failure = _early_failure, None
        if failure is not None and failure[0] is credentials:
            raise failure[1]
        return _running(credentials)


def start_early(credentials: AdaptiveSparkCredentials) -> None:
    """Starts Spark and its metastore where nobody waits for them yet. Where that fails, the first connection says so."""
    global _early_failure
    with _lock:
        _early_failure = None
        try:
            running = _running(credentials)
        except Exception as error:  # noqa: BLE001  # whichever it is, it is raised where somebody waits for Spark
            _early_failure = (credentials, error)
            return
    with suppress(Exception):
        _rows(running.quiet, "show databases")


def _running(credentials: AdaptiveSparkCredentials) -> Engine:
    global _engine
    if _engine is None or not _engine.is_running:
        _engine = _started(credentials)
    return _engine


def _started(credentials: AdaptiveSparkCredentials) -> Engine:
    global _memory
    _refuse_other_modes(credentials.server_side_parameters)
    _silence_pyspark()
    _forget_stopped()
    is_ours = SparkContext._active_spark_context is None
    try:
        with _culprit_named():
            base = start_spark(credentials) if is_ours else SparkSession.builder.getOrCreate()
            _memory = base.conf.get("spark.driver.memory", None)
            _prove(base, is_ours)
        with _told_when_spark_ends(base.sparkContext):
            for sentence in unloaded(base.sparkContext):
                _logger.warning(sentence)
            refuse_locked(base)
            quiet = base.newSession()
            quiet.conf.set(ENABLED, "false")
    except Exception:
        if is_ours:
            _stop()  # the next try would find a Spark that runs and is of no use
        raise
    return Engine(base, quiet, credentials.server_side_parameters if is_ours else {}, is_ours)


def _prove(base: SparkSession, is_ours: bool) -> None:
    spark, remedy = "Spark", "Look for a warning about it in Spark's log above, and check spark.jars."
    if not is_ours:
        spark = f"the SparkContext {base.sparkContext.appName!r} that is already running in this process"
        remedy = f"Stop it before dbt starts (spark.stop()), or start it {with_extension()}."
    prove_extension(lambda sql: _rows(base.newSession(), sql), spark, remedy)


@contextmanager
def _culprit_named() -> Iterator[None]:
    """Around the first use of Spark. Raises FailedToConnectError in place of Java's stack, and for the extension that
    keeps Spark from working where that is another's than ours."""
    try:
        yield
    except (Py4JError, OSError, FailedToConnectError) as error:
        is_answer = isinstance(error, (Py4JJavaError, FailedToConnectError))
        if _exit_code(0 if is_answer else _END_WITHIN_S) is not None:
            raise _end() from None
        context = SparkContext._active_spark_context
        sentence = None if context is None else culprit(context)
        if sentence is None and isinstance(error, Py4JJavaError):
            sentence = f"Spark does not start: {_reason(error)}"
        if sentence is None:
            raise
        raise FailedToConnectError(sentence) from error


def _defaults(session: SparkSession) -> Mapping[str, str]:
    """The defaults of a session, save what the program or Spark's start has set."""
    return missing_defaults({key: session.conf.get(key, None) for key in SESSION_DEFAULTS})


def _copy(session: SparkSession) -> SparkSession:
    jvm: Any = session._jvm
    copies = jvm.org.apache.spark.sql.execution.adaptivespark.SessionCopy
    return SparkSession(session.sparkContext, copies.of(session._jsparkSession))


def _set_where_it_differs(session: SparkSession, confs: Mapping[str, str]) -> list[str]:
    """Sets confs on a session. Returns the keys of those that differ and are fixed since Spark runs."""
    fixed = []
    for key, value in confs.items():
        if value in ((now := session.conf.get(key, None)), (now or "").removeprefix("file:")):
            continue  # of a path of its own Spark says where it is
        try:
            refuse_of_start(key)
            session.conf.set(key, value)
        except (FixedAtStart, PySparkException) as error:
            if not is_fixed(error):
                raise
            fixed.append(key)
    return fixed


def _warn_of_other_confs(running: Engine, wanted: Mapping[str, str], fixed: Sequence[str]) -> None:
    """Warns of confs that a profile cannot change any more, once a profile."""
    global _engine
    # Spark adds to some of the confs that it is started with
    unmet = [key for key in fixed if running.profile.get(key) != wanted[key]]
    if unmet:
        _logger.warning(
            "Spark was already running in this process, so these confs of the profile have no effect: "
            f"{', '.join(unmet)}. Give them to Spark where it is started."
        )
    with _lock:
        if _engine is running:
            _engine = replace(running, profile=dict(wanted))


def _is_stopped(context: SparkContext) -> bool:
    """True, too, where the process of the context does not answer."""
    try:
        return context._jsc is None or bool(context._jsc.sc().isStopped())
    except (Py4JError, OSError):
        return True


def _forget_stopped() -> None:
    """Lets go of a context that has ended on Java's side: PySpark would go on handing it out.

    Raises SparkEndedError where a program's Spark has lost its process: what the program set up went with it.
    """
    context = SparkContext._active_spark_context
    if context is None or not _is_stopped(context):
        return
    if _has_ended() and (_engine is None or not _engine.is_ours):
        raise _end()
    _stop()


def _stop() -> None:
    """Stops the context of this process, if there is one; its process too is forgotten where it has ended."""
    context = SparkContext._active_spark_context
    if _has_ended():
        SparkContext._gateway = SparkContext._jvm = None
        if context is not None:
            context._jsc = None  # so that stop() asks nobody
    if context is not None:
        context.stop()


def _has_ended() -> bool:
    """Whether Spark's process is gone. One that answers no more gets time to end."""
    return SparkContext._jvm is not None and _exit_code(0 if _answers() else _END_WITHIN_S) is not None


def _exit_code(within_s: float) -> int | None:
    """How Spark's process ended, None while it lives, and where spark-submit started Python as its child."""
    process = getattr(SparkContext._gateway, "proc", None)
    if process is None:
        return None
    try:
        return int(process.wait(within_s))
    except TimeoutExpired:
        return None


def _end() -> SparkEndedError:
    """Why the context is stopped, once its process has had time to end too."""
    code = _exit_code(_END_WITHIN_S)
    return process_ended(code, _memory) if code is not None or not _answers() else context_stopped()


def _answers() -> bool:
    try:
        SparkContext._jvm.java.lang.System.nanoTime()  # type: ignore[union-attr]  # there is one, or this is not called
    except (Py4JError, OSError):
        return False
    return True


@contextmanager
def _told_when_spark_ends(context: SparkContext) -> Iterator[None]:
    """Around calls of Java. Raises SparkEndedError in place of what they raise where that is because Spark is gone."""
    try:
        yield
    except SparkEndedError:
        raise
    except Exception:
        if _is_stopped(context):
            raise _end() from None
        raise


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


class SessionHandle:
    """What dbt holds as a connection. Dropping its session drops its confs and temporary views."""

    place_of_fixed = "under server_side_parameters in your profile"

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
        with _told_when_spark_ends(self._quiet.sparkContext):
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
        with self._conf() as conf:
            return {key: conf.get(key, None) for key in keys}

    def set(self, entry: ConfEntry) -> None:
        with self._conf() as conf:
            conf.set(entry.key, entry.value)

    def unset(self, key: str) -> None:
        with self._conf() as conf:
            conf.unset(key)

    @contextmanager
    def _conf(self) -> Iterator[RuntimeConfig]:
        session = self.session
        with _told_when_spark_ends(session.sparkContext):
            yield session.conf


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
        context = self._session.sparkContext
        with _told_when_spark_ends(context):
            self._begin(context)
            try:
                frame = self._session.sql(text)
                fields = frame.schema.fields
                # a command has run by now; to collect nothing from it would be another query, planned and told to listeners
                rows = [] if not fields and _is_command(frame) else frame.collect()
            except (PySparkException, Py4JJavaError) as error:
                self._refuse_cancelled()
                raise DbtDatabaseError(_reason(error)) from error
            finally:
                self._end(context)
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
            try:
                with _told_when_spark_ends(context):
                    context.cancelJobsWithTag(self._tag)
            except SparkEndedError:  # which the statement says
                return
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
