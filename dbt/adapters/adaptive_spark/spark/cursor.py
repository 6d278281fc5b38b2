"""One dbt connection to a session of this process's Spark, and a cursor that runs SQL on it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.conf import RuntimeConfig

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError
from dbt.adapters.adaptive_spark.conf.quoting import bound
from dbt.adapters.adaptive_spark.spark.server_error import WRITE_FAILED
from dbt.adapters.adaptive_spark.spark.spark_process import told_when_spark_ends

Description = tuple[str, str, None, None, None, None, bool]

_logger = AdapterLogger("AdaptiveSpark")
_CANCEL_EVERY_S = 0.1
_CANCEL_FOR_S = 30.0


class SessionHandle:
    """A session as the connection that dbt holds. Dropping its session drops its confs and temporary views."""

    place_of_fixed = "under server_side_parameters in your profile"

    def __init__(self, session: SparkSession, name: Callable[[], str | None]) -> None:
        self._session: SparkSession | None = session
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
        """The rows of a query of our own, about earlier queries, tables and columns. `cancel` ends it, too.

        Raises RuntimeError with Spark's reason.
        """
        cursor = self.cursor()
        try:
            cursor.execute(sql)
        except SparkEndedError:
            raise
        except DbtDatabaseError as error:
            raise RuntimeError(error.msg) from error
        return cursor.fetchall()

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
        with told_when_spark_ends(session.sparkContext):
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
        with told_when_spark_ends(context):
            self._begin(context)
            try:
                frame = self._session.sql(text)
                fields = frame.schema.fields
                # a command has run by now; to collect nothing from it would be another
                # query, planned and told to listeners
                rows = [] if not fields and _is_command(frame) else frame.collect()
            except (PySparkException, Py4JJavaError) as error:
                self._refuse_cancelled()
                raise DbtDatabaseError(reason(error)) from error
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
                with told_when_spark_ends(context):
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


def rows_of(session: SparkSession, sql: str) -> Sequence[Sequence[Any]]:
    """The rows of a query of the adapter's own. Raises RuntimeError with Spark's reason."""
    try:
        return session.sql(sql).collect()
    except (PySparkException, Py4JJavaError) as error:
        raise RuntimeError(reason(error)) from error


def reason(error: PySparkException | Py4JJavaError) -> str:
    """Spark's message, and where that says only that a task failed to write, why. PySpark leaves errors that it does
    not know with Java's whole stack as their text.
    """
    if isinstance(error, PySparkException):
        text, java = str(error), getattr(error, "_origin", None)
    else:
        text, java = str(error.java_exception.toString()), error.java_exception
    return f"{text}\n{causes(java)[-1]}" if WRITE_FAILED in text and java is not None else text


def causes(java: Any) -> list[str]:
    """An error of Java's and what caused it, the first cause last."""
    messages = []
    while java is not None:
        messages.append(str(java.toString()))
        java = java.getCause()
    return messages
