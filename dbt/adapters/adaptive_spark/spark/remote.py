"""A session on a server, over the DB-API connection that dbt-spark has opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.conf.conf_entry import SECRET_REMEDY, ConfEntry, holds_secret
from dbt.adapters.adaptive_spark.conf.conf_scope import SecretExposed
from dbt.adapters.adaptive_spark.conf.quoting import reset_statement, set_statement


class ServerError(Exception):
    """What a server says of a statement that failed, in one line: drivers hand on Java's whole stack."""

    def __init__(self, error: Exception) -> None:
        answer = error.args[0] if error.args else error
        status = getattr(answer, "status", None)  # PyHive's answer; pyodbc's is text
        text = str(error) if status is None else str(status.errorMessage)
        super().__init__(text.strip().partition("\n")[0])


class Remote:
    """The confs and statistics of a server's session, over a DB-API connection. Its cursors answer at once, where dbt-spark's poll."""

    place_of_fixed = "where the server is started, such as in its spark-defaults.conf"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def statistics(self, sql: str) -> Sequence[Sequence[Any]]:
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql)
            rows: Sequence[Sequence[Any]] = cursor.fetchall() if cursor.description else []
            return rows
        except Exception as error:  # each driver has its own
            raise ServerError(error) from error
        finally:
            cursor.close()

    def explicit(self, keys: Iterable[str]) -> Mapping[str, str | None]:
        # all that is set: SET of one key would also answer with a default
        listed = {row[0]: row[1] for row in self.statistics("SET")}
        return {key: listed.get(key) for key in keys}

    def set(self, entry: ConfEntry) -> None:
        if holds_secret(entry.key, entry.value):
            raise SecretExposed(SECRET_REMEDY)
        self.statistics(set_statement(entry.key, entry.value))

    def unset(self, key: str) -> None:
        self.statistics(reset_statement(key))
