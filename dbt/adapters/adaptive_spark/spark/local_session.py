"""Spark in this process: one engine, and the sessions of a dbt command as copies of its base.

Who sees what is told in docs/sessions.md.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.response.numbers import duration
from dbt.adapters.adaptive_spark.spark.begin_session import begin_session, leave_profile
from dbt.adapters.adaptive_spark.spark.cursor import SessionHandle, reason, rows_of
from dbt.adapters.adaptive_spark.spark.extension_check import prove_extension
from dbt.adapters.adaptive_spark.spark.installation import spark_home, with_extension
from dbt.adapters.adaptive_spark.spark.long_wait import long_wait
from dbt.adapters.adaptive_spark.spark.metastore import refuse_locked
from dbt.adapters.adaptive_spark.spark.other_extensions import culprit, refused_extensions, unloaded
from dbt.adapters.adaptive_spark.spark.session_conf import (
    EXTENSION,
    EXTENSIONS_KEY,
    SESSION_CATALOG_KEY,
    START_DEFAULTS,
    listed,
)
from dbt.adapters.adaptive_spark.spark.spark_process import (
    END_WITHIN_S,
    exit_code,
    has_ended,
    is_stopped,
    remember_memory,
    spark_ended,
    stop,
    told_when_spark_ends,
)
from dbt.adapters.adaptive_spark.spark.start_spark import (
    refuse_other_modes,
    silence_pyspark,
    site_of,
    start_spark,
)
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

_logger = AdapterLogger("AdaptiveSpark")
_lock = threading.Lock()
_engine: Engine | None = None
# of the start that nobody waited for
_early_failure: tuple[AdaptiveSparkCredentials, Exception] | None = None


@dataclass(frozen=True)
class Engine:
    """The Spark of this process, by the session that its program sees.

    `profile` is the last one that asked for it; before that, none where a program started it. `started` are the confs
    of the profile that it was started with, and `formats` those that were asked for then.
    """

    base: SparkSession
    profile: Mapping[str, str]
    is_ours: bool
    started: Mapping[str, str] = field(default_factory=dict)
    formats: frozenset[str] = frozenset()

    @property
    def is_running(self) -> bool:
        return not is_stopped(self.base.sparkContext)


class CommandSessions:
    """The sessions of one dbt command: `own` is a copy of the program's session with the profile's confs, which the
    start of the run sets up, and of which every other connection gets a copy."""

    def __init__(self, credentials: AdaptiveSparkCredentials, formats: Iterable[str] = ()) -> None:
        self._credentials = credentials
        self._formats = formats
        self._lock = threading.Lock()
        self._own: SparkSession | None = None

    def connect(self, name: Callable[[], str | None], is_own: bool = False) -> SessionHandle:
        """A connection to a copy, or to `own` itself; `name` is the node it works for.

        Raises SparkEndedError once Spark has ended: what the run's start set up would be missing in another one.
        """
        with self._lock:
            if self._own is None:
                self._own = self._begin()
            own = self._own
        with told_when_spark_ends(own.sparkContext):
            session = own if is_own else _copy(own)
        return SessionHandle(session, name)

    def _begin(self) -> SparkSession:
        running = engine(self._credentials, self._formats)
        with told_when_spark_ends(running.base.sparkContext):
            own = _copy(running.base)
        profile, handle = self._credentials.server_side_parameters, SessionHandle(own, lambda: None)
        kept: frozenset[str] = frozenset()
        if running.started.keys() - profile.keys():
            others = {**START_DEFAULTS, **site_of(spark_home())}
            kept = leave_profile(handle, running.started, profile, others)
        opening = begin_session(handle, profile)
        _warn_of_other_confs(running, profile, opening.fixed, kept)
        _warn_of_formats(running, self._formats)
        return own


def engine(credentials: AdaptiveSparkCredentials, formats: Iterable[str] = ()) -> Engine:
    """The running engine, built on the first call; later callers, of whatever thread, get the same one.

    Who waits for it longer than a moment reads that Spark starts, and when it is up.
    """
    global _early_failure
    with long_wait("Starting Spark …", _note) as wait, _lock:
        failure, _early_failure = _early_failure, None
        if failure is not None and failure[0] is credentials:
            raise failure[1]
        running = _running(credentials, formats)
    if wait.was_told.is_set():
        _note(f"Spark {running.base.version} is up after {duration(wait.seconds)}")
    return running


def _note(sentence: str) -> None:
    fire_event(Note(msg=sentence))


def start_early(credentials: AdaptiveSparkCredentials, formats: Iterable[str] = ()) -> None:
    """Starts Spark and its metastore where nobody waits for them yet.

    Where that fails, the first connection says so.
    """
    global _early_failure
    with _lock:
        _early_failure = None
        try:
            running = _running(credentials, formats)
        except Exception as error:  # noqa: BLE001  # whichever it is, it is raised where somebody waits for Spark
            _early_failure = (credentials, error)
            return
    with suppress(Exception):
        rows_of(running.base.newSession(), "show databases")


def _running(credentials: AdaptiveSparkCredentials, formats: Iterable[str]) -> Engine:
    global _engine
    if _engine is None or not _engine.is_running:
        _engine = _started(credentials, formats)
    return _engine


def _started(credentials: AdaptiveSparkCredentials, formats: Iterable[str]) -> Engine:
    refuse_other_modes(credentials.server_side_parameters)
    silence_pyspark()
    _forget_stopped()
    is_ours, had_java = SparkContext._active_spark_context is None, SparkContext._gateway is not None
    try:
        with _culprit_named():
            sessions = start_spark(credentials, formats) if is_ours else SparkSession.builder
            with refused_extensions() as refused:
                base = sessions.getOrCreate()
            remember_memory(base.conf.get("spark.driver.memory", None))
            _prove(base, is_ours, had_java)
        with told_when_spark_ends(base.sparkContext):
            for sentence in unloaded(base.sparkContext, refused):
                _logger.warning(sentence)
            refuse_locked(base)
    except Exception:
        if is_ours:
            stop()  # the next try would find a Spark that runs and is of no use
        raise
    if not is_ours:
        return Engine(base, {}, is_ours)
    profile = credentials.server_side_parameters
    return Engine(base, profile, is_ours, profile, frozenset(formats))


def _prove(base: SparkSession, is_ours: bool, had_java: bool) -> None:
    spark, remedy = "Spark", "Look for a warning about it in Spark's log above, and check spark.jars."
    if not is_ours:
        spark = f"the SparkContext {base.sparkContext.appName!r} that is already running in this process"
        remedy = f"Start it {with_extension()}, or restart Python and let dbt start Spark."
    elif had_java:
        remedy = "An earlier Spark of this process was launched without its jar, and Java keeps that. Restart Python."
    prove_extension(lambda sql: rows_of(base.newSession(), sql), spark, remedy)


@contextmanager
def _culprit_named() -> Iterator[None]:
    """Around the first use of Spark. Raises FailedToConnectError in place of Java's stack, and for the extension that
    keeps Spark from working where that is another's than ours."""
    try:
        yield
    except (Py4JError, OSError, FailedToConnectError) as error:
        is_answer = isinstance(error, (Py4JJavaError, FailedToConnectError))
        if exit_code(0 if is_answer else END_WITHIN_S) is not None:
            raise spark_ended() from None
        context = SparkContext._active_spark_context
        sentence = None if context is None else culprit(context)
        if sentence is None and isinstance(error, Py4JJavaError):
            sentence = f"Spark does not start: {reason(error)}"
        if sentence is None:
            raise
        raise FailedToConnectError(sentence) from error


def _copy(session: SparkSession) -> SparkSession:
    jvm: Any = session._jvm
    copies = jvm.org.apache.spark.sql.execution.adaptivespark.SessionCopy
    return SparkSession(session.sparkContext, copies.of(session._jsparkSession))


def _warn_of_other_confs(
    running: Engine, wanted: Mapping[str, str], fixed: Iterable[str], kept: Iterable[str]
) -> None:
    """Warns of confs that a profile cannot change any more, and of those that an earlier one left, once a profile."""
    global _engine
    # Spark adds to some of the confs that it is started with
    unmet = [key for key in sorted(fixed) if running.profile.get(key) != wanted[key]]
    if unmet:
        _logger.warning(
            "Spark was already running in this process, so these confs of the profile have no effect: "
            f"{', '.join(unmet)}. Give them to Spark where it is started."
        )
    left = sorted(kept)
    if left and running.profile != wanted:
        _logger.warning(
            "Spark was started in this process with confs that this profile lacks, and keeps them: "
            f"{', '.join(left)}. Run this command in a process of its own to be without them."
        )
    with _lock:
        if _engine is running:
            _engine = replace(running, profile=dict(wanted))


def _warn_of_formats(running: Engine, wanted: Iterable[str]) -> None:
    """Warns of formats that a running Spark was not started with."""
    extensions = listed(running.base.conf.get(EXTENSIONS_KEY, None) or "")
    for name in wanted:
        table_format = FORMATS[name]
        if name in running.formats or table_format.extension in extensions:
            continue
        remedy = (
            f"Write file_format: {name} into a comment of dbt_project.yml, so that dbt finds it before Spark starts. If "
            "an earlier command started this Spark, run this one in a process of its own."
            if running.is_ours
            else f"Start it with {EXTENSIONS_KEY}={EXTENSION},{table_format.extension}, "
            f"{SESSION_CATALOG_KEY}={table_format.catalog} and the format's jar."
        )
        _logger.warning(
            f"Spark is already running in this process, without {table_format.title}, which models with file_format "
            f"{name} need. {remedy}"
        )


def _forget_stopped() -> None:
    """Lets go of a context that has ended on Java's side: PySpark would go on handing it out.

    Raises SparkEndedError where a program's Spark has lost its process: what the program set up went with it.
    """
    context = SparkContext._active_spark_context
    if context is None or not is_stopped(context):
        return
    if has_ended() and (_engine is None or not _engine.is_ours):
        raise spark_ended()
    stop()
