"""A server as one dbt command sees it: opens sessions on it, and proves the extension on
each Spark that it meets there.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from copy import copy

from dbt.adapters.contracts.connection import Connection, ConnectionState, Identifier
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.spark.connections import (
    PyhiveConnectionWrapper,
    SparkConnectionManager,
    SparkConnectionMethod,
)
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.credentials import ADAPTER_TYPE, AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.begin_session import OpeningConfs, begin_session
from dbt.adapters.adaptive_spark.spark.extension_check import prove_extension
from dbt.adapters.adaptive_spark.spark.installation import with_extension
from dbt.adapters.adaptive_spark.spark.remote import ServerCalls
from dbt.adapters.adaptive_spark.spark.server_error import not_opened
from dbt.adapters.adaptive_spark.spark.server_handle import ServerHandle

_logger = AdapterLogger("AdaptiveSpark")
# it writes to the console, with a stack, what becomes a sentence here
logging.getLogger("thrift.transport.TSocket").setLevel(logging.CRITICAL)

# which Spark answers: behind one host and port there may be several, or another than a minute ago
_IDENTITY = ("spark.app.id", "spark.app.startTime")
_WORTH_RETRYING = ("pending", "temporarily_unavailable", "http 503")

SparkIdentity = tuple[str | None, ...]


class CommandServer:
    """The sessions of one dbt command on the server of its profile.

    The first one on each Spark proves the extension, and so does the first one after a connection was lost or refused.
    """

    def __init__(self, credentials: AdaptiveSparkCredentials) -> None:
        self._credentials = credentials
        self._proven: dict[SparkIdentity, OpeningConfs] = {}
        # what sessions on one Spark have to be given, and that Spark
        self._given: tuple[SparkIdentity, Mapping[str, str]] | None = None
        self._named: frozenset[str] = frozenset()
        self._proving = threading.Lock()

    @property
    def name(self) -> str:
        """How a sentence names the server."""
        path = f"/{self._credentials.http_path}" if self._credentials.is_own_http else ""
        return f"the Spark server at {self._credentials.host}:{self._credentials.port}{path}"

    def connect(self) -> ServerHandle:
        """A session that has the profile's confs and the defaults.

        Raises FailedToConnectError where none can be opened, where the extension is not loaded, and where Spark refuses
        a value of the profile; ServerLostError where the server ends meanwhile.
        """
        given = self._given if self._credentials.is_thrift_server else None
        handle, settings = self._opened({} if given is None else given[1])
        if given is not None and given[1] and given[0] != _identity(settings):
            # another Spark, which may have values of its own for these keys
            self._given = None
            handle.close()
            handle, settings = self._opened({})
        try:
            self._begin(handle, settings)
        except Exception:
            handle.close()
            raise
        return handle

    def _opened(self, given: Mapping[str, str]) -> tuple[ServerHandle, Mapping[str, str]]:
        """A new session, `given` in the request that opens it, which saves a statement
        each; and all that is set in it.
        """
        http = self._credentials.method == SparkConnectionMethod.HTTP
        # in binary mode a session ends with its connection
        polls = self._credentials.query_retries if http else 0
        handle = ServerHandle(self._attempted(given), ServerCalls(self.name, self._forget), polls)
        try:
            return handle, handle.settings()
        except Exception:
            handle.close()
            raise

    def _attempted(self, given: Mapping[str, str]) -> PyhiveConnectionWrapper:
        retries = self._credentials.connect_retries
        for attempt in range(1, retries + 1):
            try:
                return self._requested(given)
            except FailedToConnectError as error:
                is_worth_it = any(mark in str(error.msg).lower() for mark in _WORTH_RETRYING)
                if not is_worth_it and not self._credentials.retry_all:
                    raise
                wait_s = self._credentials.connect_timeout
                _logger.warning(f"{error.msg} Trying again in {wait_s} s ({attempt} of {retries}).")
                time.sleep(wait_s)
        return self._requested(given)

    def _requested(self, given: Mapping[str, str]) -> PyhiveConnectionWrapper:
        confs = {f"set:hiveconf:{key}": value for key, value in given.items()}
        request = copy(self._credentials)
        request.server_side_parameters = {**request.server_side_parameters, **confs}
        request.connect_retries = 0  # dbt-spark's own, which print the driver's error as it is
        try:
            if self._credentials.is_own_http:
                # PyHive is an extra, absent where no server is reached by it
                from dbt.adapters.adaptive_spark.spark.http_session import open_session

                return open_session(request, request.server_side_parameters)
            connection = Connection(Identifier(ADAPTER_TYPE), "request", request, ConnectionState.INIT)
            wrapper: PyhiveConnectionWrapper = SparkConnectionManager.open(connection).handle
            return wrapper
        except Exception as error:
            self._forget()
            cause = error.__cause__ if isinstance(error, FailedToConnectError) else error
            if isinstance(cause, DbtRuntimeError) or cause is None:
                raise
            raise not_opened(self.name, cause, self._credentials.login_keys) from error

    def _forget(self) -> None:
        """Where a connection was lost or refused, the next one may meet another Spark."""
        self._proven.clear()
        self._given = None

    def _begin(self, handle: ServerHandle, settings: Mapping[str, str]) -> None:
        identity, profile = _identity(settings), self._credentials.server_side_parameters
        with self._proving:  # once a Spark: dbt opens a connection for every node
            opening = self._proven.get(identity)
            if opening is None:
                prove_extension(handle.statistics, self.name, f"Start the server {with_extension()}.")
                opening = begin_session(handle, profile, explicit=settings)
                self._warn_of_fixed(opening.fixed, handle.place_of_fixed)
                self._proven[identity] = opening
                self._given = (identity, opening.given)
                return
        begin_session(handle, profile, opening.fixed | opening.refused, explicit=settings)

    def _warn_of_fixed(self, fixed: frozenset[str], place: str) -> None:
        new = fixed - self._named
        self._named |= fixed
        if new:
            _logger.warning(
                f"server_side_parameters: {', '.join(sorted(new))} cannot be set from a profile on {self.name}, "
                f"which runs already, and have no effect. Set them {place}."
            )


def _identity(settings: Mapping[str, str]) -> SparkIdentity:
    return tuple(settings.get(key) for key in _IDENTITY)
