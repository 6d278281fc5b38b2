"""Opens a session on a Spark Thrift server in HTTP mode (hive.server2.transport.mode=http),
which dbt-spark does not reach.
"""

from __future__ import annotations

import getpass
from base64 import b64encode
from collections.abc import Mapping

from dbt.adapters.spark.connections import PyhiveConnectionWrapper
from pyhive import hive
from thrift.transport.THttpClient import THttpClient

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.server_error import HttpError

# of the user that dbt-spark sends a token with
_OF_TOKEN = "token"
# a server without authentication wants a password, too, and takes any
_ANY_PASSWORD = "x"
_OK = 200


class HttpTransport(THttpClient):  # type: ignore[misc]  # thrift ships no types
    """Thrift's, which reads whatever a server answers; here an answer that is no success raises HttpError."""

    def flush(self) -> None:
        super().flush()
        if self.code != _OK:
            raise HttpError(f"HTTP {self.code} {self.message}")


def open_session(credentials: AdaptiveSparkCredentials, confs: Mapping[str, str]) -> PyhiveConnectionWrapper:
    """A session that begins with `confs`, each named as the server's request wants it.

    Raises the driver's own errors.
    """
    user, password = login(credentials)
    transport = HttpTransport(url(credentials))
    basic = b64encode(f"{user}:{password}".encode()).decode()
    transport.setCustomHeaders({"Authorization": f"Basic {basic}"})
    connection = hive.connect(thrift_transport=transport, username=user, configuration=dict(confs))
    return PyhiveConnectionWrapper(
        connection,
        poll_interval=credentials.poll_interval,
        query_timeout=credentials.query_timeout,
        query_retries=credentials.query_retries,
    )


def url(credentials: AdaptiveSparkCredentials) -> str:
    scheme = "https" if credentials.use_ssl else "http"
    return f"{scheme}://{credentials.host}:{credentials.port}/{credentials.http_path}"


def login(credentials: AdaptiveSparkCredentials) -> tuple[str, str]:
    """The user and password that go in the header of each request."""
    if credentials.token is not None:
        return _OF_TOKEN, credentials.token
    return credentials.user or getpass.getuser(), credentials.password or _ANY_PASSWORD
