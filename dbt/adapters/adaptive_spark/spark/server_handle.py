"""One dbt connection to a session of a server: dbt-spark's, with its errors as sentences
and the adapter's own queries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import PyhiveConnectionWrapper
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.spark.remote import Remote, ServerCalls
from dbt.adapters.adaptive_spark.spark.server_error import loss

_logger = AdapterLogger("AdaptiveSpark")


class ServerHandle(Remote):
    """A driver's connection as the one that dbt holds.

    `polls` is how often a statement is asked again for how it fares, where the answer is lost.
    """

    def __init__(self, wrapper: PyhiveConnectionWrapper, calls: ServerCalls, polls: int = 0) -> None:
        super().__init__(wrapper.handle, calls)
        self._wrapper = wrapper
        self._polls = polls
        # dbt-spark would send a statement again whose answer is lost, and rows twice with it
        wrapper.query_retries = 0

    def cursor(self) -> ServerCursor:
        with self._calls.told():
            self._wrapper.cursor()
            driver: Any = self._wrapper._cursor  # the driver's cursor, which dbt-spark shows no part of
        if self._polls:
            driver.poll = _again(driver.poll, self._polls, self._wrapper.poll_interval)
        return ServerCursor(self._wrapper, driver, self._calls)

    def cancel(self) -> None:
        """From another thread. A connection that is lost has nothing left to cancel."""
        with suppress(DbtRuntimeError), self._calls.told():
            self._wrapper.cancel()

    def close(self) -> None:
        """Ends the session, save on a connection that is lost.

        Whatever goes wrong is in the debug log alone: nothing is left to do.
        """
        with suppress(DbtRuntimeError), self._calls.told():
            self._wrapper.close()

    def rollback(self) -> None:
        """Spark has no transactions."""


class ServerCursor:
    """Runs one statement at a time as dbt-spark does.

    Raises DbtDatabaseError with Spark's message, or ServerLostError.
    """

    def __init__(self, wrapper: PyhiveConnectionWrapper, driver: Any, calls: ServerCalls) -> None:
        self._wrapper = wrapper
        self._driver = driver
        self._calls = calls

    @property
    def description(self) -> Sequence[Sequence[Any]] | None:
        with self._calls.told():
            described: Sequence[Sequence[Any]] | None = self._driver.description
            return described

    def execute(self, sql: str, bindings: list[Any] | None = None) -> None:
        with self._calls.told():
            self._wrapper.execute(sql, bindings)

    def fetchone(self) -> Sequence[Any] | None:
        with self._calls.told():
            row: Sequence[Any] | None = self._driver.fetchone()
            return row

    def fetchmany(self, size: int = 1) -> list[Sequence[Any]]:
        with self._calls.told():
            return list(self._driver.fetchmany(size))

    def fetchall(self) -> list[Sequence[Any]]:
        with self._calls.told():
            return list(self._driver.fetchall())

    def close(self) -> None:
        with suppress(DbtRuntimeError), self._calls.told():
            self._driver.close()


def _again(poll: Callable[..., Any], times: int, interval_s: float) -> Callable[..., Any]:
    """A poll that is sent again after a lost answer; to ask changes nothing on the server."""

    def polled(*arguments: Any, **named: Any) -> Any:
        left = times
        while True:
            try:
                return poll(*arguments, **named)
            except Exception as error:
                if not left or loss("the server", error) is None:
                    raise
                _logger.debug(f"The answer to a poll was lost and is asked for again: {error}")
            left -= 1
            time.sleep(interval_s)

    return polled
