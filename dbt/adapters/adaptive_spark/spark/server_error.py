"""A server's and a driver's errors as sentences for the user: why a statement failed, a connection was
lost or cannot be opened. Pure.
"""

from __future__ import annotations

import re
from contextlib import suppress
from http.client import HTTPException
from socket import gaierror
from ssl import SSLError

from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError

_LINES_OF_CONTEXT = 20
# what a driver raises where the connection, not the statement, is the fault; of a statement no driver raises an OSError
_TRANSPORT: tuple[type[Exception], ...] = (OSError, EOFError, HTTPException)
with suppress(ImportError):  # thrift is an extra
    from thrift.protocol.TProtocol import TProtocolException
    from thrift.transport.TTransport import TTransportException

    # not TApplicationException, which is an answer
    _TRANSPORT = (*_TRANSPORT, TProtocolException, TTransportException)

# a frame names a class and a method; `at foo(b)` may be the user's SQL
_FRAME = re.compile(r"^[ \t]*at [\w$/<>@]+(?:\.[\w$/<>@]+)+\([^()\n]*\)\s*$", re.MULTILINE)
_OF_STACK = re.compile(r"\n+(?:Driver stacktrace:|Caused by: .*)\s*\Z")
_CAUSE = re.compile(r"^Caused by: (.*)$", re.MULTILINE)
# says that a task failed, and where it wrote to
WRITE_FAILED = "[TASK_WRITE_FAILED]"
# [CLASS] and Java's name of it stand before Spark's message, which has [CLASS] itself
_PREFIX = re.compile(
    r"^(?:[\w.]+\.HiveSQLException: )?(?:Error running query: )?(?:java\.lang\.IllegalArgumentException: )?(?:\[(?P<twice>[\w.]+)\] [\w.$]+:\s*(?=\[(?P=twice)\]))?"
)
_PLAN = re.compile(r"(SQLSTATE: \w{5}(?:; line \d+ pos \d+)?);\n.*\Z", re.DOTALL)
# ODBC's class of connection exceptions, and the timeout of a connection
_LOST_STATES = re.compile(r"08\w{3}|HYT01")
_UNKNOWN_SESSION = ("Invalid SessionHandle", "Invalid OperationHandle")
_STOPPED = ("SparkContext was shut down", "stopped SparkContext", "SparkContext has been shutdown")
_LOGIN = ("Bad status", "HTTP 401", "HTTP 403")  # the first is of SASL
_ELSEWHERE = ("HTTP 404", "HTTP 405")  # the second is what Spark's server says
_ODBC_LOGIN = "28000"
_AGAIN = "Run `dbt retry` once the server is up."


class ServerError(DbtDatabaseError):
    """Why a query of the adapter's own failed on a server, in one line; that line alone is its text."""

    def __str__(self, prefix: str = "") -> str:  # the parameter is dbt's
        return str(self.msg)


class ServerLostError(SparkEndedError):
    """A server that a connection has lost, with the session on it. Another connection may find one."""


class HttpError(Exception):
    """The answer of an HTTP server that is not a Thrift server's, such as `HTTP 401 Unauthorized`."""


def whole_text(error: BaseException) -> str:
    """A driver's error as it came: PyHive's holds the server's answer, pyodbc's a code and a text."""
    answer = error.args[0] if error.args else None
    status = getattr(answer, "status", None)
    if status is not None:
        return str(status.errorMessage or status)
    if isinstance(error, DbtDatabaseError):
        return str(error.msg)
    if len(error.args) == 2 and isinstance(answer, str):
        return str(error.args[1])
    return str(error) or type(error).__name__


def reason(error: BaseException) -> str:
    """Spark's own message in a driver's error: without Java's stack, the plan, and the query where it is long;
    and where that says only that a task failed to write, why.
    """
    message, context = _message(error)
    causes = _CAUSE.findall(whole_text(error))
    if WRITE_FAILED in message and causes:
        message = f"{message}\n{causes[-1]}"
    return message if context.count("\n") > _LINES_OF_CONTEXT else f"{message}{context}".strip()


def _message(error: BaseException) -> tuple[str, str]:
    """Spark's message, and the part of the query that it shows below."""
    text = whole_text(error).strip()
    frame = _FRAME.search(text)
    if frame is not None:
        text = _OF_STACK.sub("", text[: frame.start()])
    text = _PLAN.sub(r"\1", _PREFIX.sub("", text.strip()))
    message, mark, context = text.partition("\n== SQL")
    return message.strip(), mark + context


def loss(server: str, error: BaseException) -> ServerLostError | None:
    """The sentence for a connection to `server` (how to name it) that an error shows to
    be lost; None where it is not.
    """
    if isinstance(error.__cause__, _TRANSPORT):  # dbt-spark has words of its own for it
        return loss(server, error.__cause__)
    message, _ = _message(error)
    if message.startswith(_UNKNOWN_SESSION):
        return ServerLostError(
            f"{_first(server)} no longer knows this session: it was restarted, or it closed the session as idle "
            f"(hive.server2.idle.session.timeout). Its log has the reason. {_AGAIN}"
        )
    if any(mark in message for mark in _STOPPED):
        return ServerLostError(
            f"{_first(server)} was stopped while dbt was running. Its log has the reason. {_AGAIN}"
        )
    if isinstance(error, HttpError) and message.startswith(_LOGIN):
        return ServerLostError(
            f"{_first(server)} no longer accepts the login ({message}), such as a token that has expired. "
            "Renew it in your profile, then run `dbt retry`."
        )
    code = error.args[0] if error.args else None
    is_odbc_loss = isinstance(code, str) and _LOST_STATES.fullmatch(code) is not None
    if not is_odbc_loss and not isinstance(error, (*_TRANSPORT, HttpError)):
        return None
    return ServerLostError(
        f"The connection to {server} was lost ({_detail(error)}). Most likely the server has ended, such as for want of "
        f"memory (spark.driver.memory, where it is started). Its log has the reason. {_AGAIN}"
    )


def not_opened(server: str, error: BaseException, login: str) -> FailedToConnectError:
    """The sentence for a connection to `server` that cannot be opened. `login` names the profile's keys that log in."""
    is_transport = isinstance(error, (*_TRANSPORT, HttpError))
    text = _detail(error) if is_transport else reason(error)
    if text.startswith(_LOGIN) or error.args[:1] == (_ODBC_LOGIN,):
        return FailedToConnectError(
            f"{_first(server)} refuses the login ({text}). Check {login} in your profile."
        )
    if text.startswith(_ELSEWHERE):
        return FailedToConnectError(
            f"{_first(server)} has no Thrift service there ({text}). Check http_path in your profile: "
            "it is hive.server2.thrift.http.path of the server."
        )
    if not is_transport or isinstance(error, HttpError):
        return FailedToConnectError(f"{_first(server)} opens no session: {text}")
    if _is_unreachable(error):
        return FailedToConnectError(
            f"{_first(server)} cannot be reached ({text}). See that it runs, and check host and port in your profile."
        )
    if isinstance(error, SSLError):
        return FailedToConnectError(
            f"{_first(server)} cannot be reached over TLS ({text}). Check use_ssl and port in your profile. The authority of "
            "its certificate must be known here: SSL_CERT_FILE names a file of such."
        )
    return FailedToConnectError(
        f"{_first(server)} does not answer as a Thrift server ({text}). Check {login}, and use_ssl and method in your profile: "
        "method thrift is for hive.server2.transport.mode=binary on the server, method http for http."
    )


def _is_unreachable(error: BaseException) -> bool:
    if isinstance(error, (ConnectionRefusedError, TimeoutError, gaierror)):
        return True
    # thrift has words of its own, and a host without a way to it a number for each system
    return any(
        mark in str(error) for mark in ("Could not connect", "failed to resolve", "No route", "unreachable")
    )


def _detail(error: BaseException) -> str:
    inner = getattr(error, "inner", None)  # thrift's, of which the outer one says nothing
    cause = inner if isinstance(inner, Exception) else error
    said = getattr(cause, "strerror", None)
    text = (said if isinstance(said, str) else whole_text(cause)).partition("\n")[0]
    return text.strip().rstrip(".")


def _first(server: str) -> str:
    """The name of a server where it begins a sentence."""
    return server[:1].upper() + server[1:]
