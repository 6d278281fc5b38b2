"""A session on a server, over the DB-API connection that dbt-spark has opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from dbt.adapters.adaptive_spark.conf.conf_entry import SECRET_REMEDY, ConfEntry, holds_secret
from dbt.adapters.adaptive_spark.conf.conf_scope import SecretExposed
from dbt.adapters.adaptive_spark.conf.quoting import reset_statement, set_statement
from dbt.adapters.adaptive_spark.spark.server_error import (
    ServerError,
    ServerLostError,
    loss,
    reason,
    whole_text,
)

_logger = AdapterLogger("AdaptiveSpark")


class ServerCalls:
    """The calls over one connection to a server, whose errors become sentences.

    A connection that was lost is not used again.
    """

    def __init__(
        self, server: str = "the Spark server", when_lost: Callable[[], None] = lambda: None
    ) -> None:
        self.server = server
        self._when_lost = when_lost
        self._lost: str | None = None

    @property
    def is_lost(self) -> bool:
        return self._lost is not None

    @contextmanager
    def told(self) -> Iterator[None]:
        """Around a driver's call.

        Raises ServerLostError where the connection is lost, and DbtDatabaseError with Spark's message where a statement
        failed; both with the driver's own error in the debug log.
        """
        if self._lost is not None:
            raise ServerLostError(self._lost)
        try:
            yield
        except ServerLostError:
            raise
        except Exception as error:
            _logger.debug(f"{type(error).__name__}: {whole_text(error)}")
            lost = loss(self.server, error)
            if lost is not None:
                self._lost = str(lost.msg)
                self._when_lost()
                raise lost from error
            if isinstance(error, DbtRuntimeError) and not isinstance(error, DbtDatabaseError):
                raise  # dbt-spark's sentences, such as of query_timeout
            raise DbtDatabaseError(reason(error)) from error


class Remote:
    """The confs and statistics of a server's session, over a DB-API connection.

    Its cursors answer at once, where dbt-spark's poll.
    """

    place_of_fixed = "where the server is started, such as in its spark-defaults.conf"

    def __init__(self, connection: Any, calls: ServerCalls | None = None) -> None:
        self._connection = connection
        self._calls = calls or ServerCalls()

    def statistics(self, sql: str) -> Sequence[Sequence[Any]]:
        """The rows of a query of our own. Raises ServerError with the first line of Spark's reason."""
        try:
            with self._calls.told():
                cursor = self._connection.cursor()
                try:
                    cursor.execute(sql)
                    rows: Sequence[Sequence[Any]] = cursor.fetchall() if cursor.description else []
                    return rows
                finally:
                    with suppress(Exception):  # over a lost connection, of which the statement says more
                        cursor.close()
        except ServerLostError:
            raise
        except DbtDatabaseError as error:
            raise ServerError(str(error.msg).partition("\n")[0]) from error

    def settings(self) -> Mapping[str, str]:
        """All that is set in the session: SET of one key would also answer with a default."""
        return {row[0]: row[1] for row in self.statistics("SET")}

    def explicit(self, keys: Iterable[str]) -> Mapping[str, str | None]:
        listed = self.settings()
        return {key: listed.get(key) for key in keys}

    def set(self, entry: ConfEntry) -> None:
        if holds_secret(entry.key, entry.value):
            raise SecretExposed(SECRET_REMEDY)
        self.statistics(set_statement(entry.key, entry.value))

    def unset(self, key: str) -> None:
        self.statistics(reset_statement(key))
