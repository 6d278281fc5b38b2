"""A server's and a driver's errors as sentences: of the statement, of the connection, and of a
connection that is not opened.
"""

import ssl
from http.client import RemoteDisconnected
from socket import gaierror
from types import SimpleNamespace

import pytest
from dbt_common.exceptions import DbtDatabaseError
from pyhive.exc import OperationalError
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException
from thrift.transport.TTransport import TTransportException

from dbt.adapters.adaptive_spark.spark.server_error import (
    HttpError,
    ServerLostError,
    loss,
    not_opened,
    reason,
)

HOST = "the Spark server at h:1"
CAST = (
    '[CAST_INVALID_INPUT] The value \'x\' of the type "STRING" cannot be cast to "INT". SQLSTATE: 22018\n'
    "== SQL (line 1, position 8) ==\nselect cast('x' as int)\n       ^^^^^^^^^^^^^^^^"
)
STACK = (
    "\n\tat org.apache.spark.sql.hive.thriftserver.HiveThriftServerErrors$.runningQueryError(HiveThriftServerErrors.scala:43)"
    "\n\tat java.base/java.util.concurrent.Executors$RunnableAdapter.call(Executors.java:539)"
    "\n\tat scala.Function0.apply$mcV$sp(Unknown Source)"
    "\nCaused by: org.apache.spark.SparkNumberFormatException: [CAST_INVALID_INPUT] The value 'x'\n\t... 17 more"
)
BEFORE = "Error running query: [CAST_INVALID_INPUT] org.apache.spark.SparkNumberFormatException: "
LONG = "\n".join(f"line {each}" for each in range(40))


def answered(message):
    """PyHive's error for an answer of the server."""
    return OperationalError(
        SimpleNamespace(status=SimpleNamespace(errorMessage=message, infoMessages=[STACK]))
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{BEFORE}{CAST}\n", CAST),
        (f"org.apache.hive.service.cli.HiveSQLException: {BEFORE}{CAST}\n{STACK}", CAST),
        (
            "Error running query: org.apache.spark.SparkException: Job aborted due to stage failure: boom" + STACK,
            "org.apache.spark.SparkException: Job aborted due to stage failure: boom",
        ),
        (
            "Error running query: [TABLE_OR_VIEW_NOT_FOUND] org.apache.spark.sql.AnalysisException: "
            "[TABLE_OR_VIEW_NOT_FOUND] No `t`. SQLSTATE: 42P01; line 1 pos 14;\n'Project [*]\n+- 'UnresolvedRelation [t]\n" + STACK,
            "[TABLE_OR_VIEW_NOT_FOUND] No `t`. SQLSTATE: 42P01; line 1 pos 14",
        ),
        (
            "Error running query: [PARSE_SYNTAX_ERROR] org.apache.spark.sql.catalyst.parser.ParseException: \n"
            f"[PARSE_SYNTAX_ERROR] Syntax error (line 1, pos 0)\n\n== SQL ==\n{LONG}\n^^^",
            "[PARSE_SYNTAX_ERROR] Syntax error (line 1, pos 0)",
        ),
        (
            "java.lang.RuntimeException: boom\n\tat a.B.c(B.scala:1)\n\nDriver stacktrace:\n\tat a.B.d(B.scala:2)",
            "java.lang.RuntimeException: boom",
        ),
        (
            "[USER_RAISED_EXCEPTION] boom\nline two\n\tat my house (here) SQLSTATE: P0001",
            "[USER_RAISED_EXCEPTION] boom\nline two\n\tat my house (here) SQLSTATE: P0001",
        ),
        (
            "Error running query: java.lang.IllegalArgumentException: FILTER_ODER is not a hint. Did you mean FILTER_ORDER?",
            "FILTER_ODER is not a hint. Did you mean FILTER_ORDER?",
        ),
        (
            f"Error running query: [TASK_WRITE_FAILED] Task failed.{STACK}\nCaused by: java.lang.RuntimeException: boom\n\t... 3 more",
            "[TASK_WRITE_FAILED] Task failed.\njava.lang.RuntimeException: boom",
        ),
        (
            "[X] No.\n== SQL ==\nselect a\n  at foo(b)\n^^^",
            "[X] No.\n== SQL ==\nselect a\n  at foo(b)\n^^^",
        ),
    ],
    ids=["sync", "polled", "job", "plan", "long query", "driver stack", "words like a stack", "hint", "write", "alias"],
)  # fmt: skip
def test_a_failing_statement_has_sparks_message_alone(text, expected):
    assert reason(answered(text)) == reason(DbtDatabaseError(text)) == expected


def test_odbcs_text_is_what_comes_after_its_code():
    assert reason(OperationalError("42000", f"[Simba] {CAST}{STACK}")) == f"[Simba] {CAST}"


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (ConnectionResetError(104, "Connection reset by peer"), "Connection reset by peer"),
        (BrokenPipeError(32, "Broken pipe"), "Broken pipe"),
        (TimeoutError("timed out"), "timed out"),
        (EOFError(), "EOFError"),
        (RemoteDisconnected("Remote end closed connection"), "Remote end closed connection"),
        (TTransportException(4, "TSocket read 0 bytes"), "TSocket read 0 bytes"),
        (TTransportException(1, "unexpected exception", OSError(104, "Connection reset")), "Connection reset"),
        (TProtocolException(4, "No protocol version header"), "No protocol version header"),
        (HttpError("HTTP 502 Bad Gateway"), "HTTP 502 Bad Gateway"),
        (OperationalError("08S01", "[08S01] Communication link failure (35)"), "[08S01] Communication link failure (35)"),
        (OperationalError("HYT01", "Connection timeout expired"), "Connection timeout expired"),
    ],
    ids=lambda each: str(each) or "eof",
)  # fmt: skip
def test_a_lost_connection_is_one_sentence_with_cause_and_remedy(error, detail):
    lost = loss(HOST, error)
    assert isinstance(lost, ServerLostError)
    assert lost.msg == (
        f"The connection to {HOST} was lost ({detail}). Most likely the server has ended, such as for want of memory "
        "(spark.driver.memory, where it is started). Its log has the reason. Run `dbt retry` once the server is up."
    )


def test_a_loss_in_dbt_sparks_words_is_the_one_below():
    error = RuntimeError("Connection lost while polling query status after 1 attempts.")
    error.__cause__ = EOFError()
    assert loss(HOST, error).msg == loss(HOST, EOFError()).msg


@pytest.mark.parametrize(
    ("message", "begins"),
    [
        ("Invalid SessionHandle: SessionHandle [5ab]", "The Spark server at h:1 no longer knows this session"),
        ("Invalid OperationHandle: OperationHandle [x]", "The Spark server at h:1 no longer knows this session"),
        ("Error running query: org.apache.spark.SparkException: Job 3 cancelled because SparkContext was shut down" + STACK,
         "The Spark server at h:1 was stopped while dbt was running."),
        ("java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.", "The Spark server at h:1 was stopped"),
    ],
)  # fmt: skip
def test_an_answer_of_a_server_that_has_lost_the_session_is_a_loss(message, begins):
    lost = loss(HOST, answered(message))
    assert lost.msg.startswith(begins)
    assert lost.msg.endswith("Run `dbt retry` once the server is up.")


def test_a_login_that_is_refused_in_between_is_a_loss_of_its_own():
    assert loss(HOST, HttpError("HTTP 401 Unauthorized")).msg == (
        "The Spark server at h:1 no longer accepts the login (HTTP 401 Unauthorized), such as a token that has expired. "
        "Renew it in your profile, then run `dbt retry`."
    )


def test_a_failing_statement_is_no_loss_even_if_it_speaks_of_one():
    query = "[DIVIDE_BY_ZERO] Division by zero.\n== SQL ==\nselect 1 / 0 -- SparkContext was shut down"
    assert loss(HOST, answered(query)) is None
    assert loss(HOST, OperationalError("42000", "no such table")) is None
    assert loss(HOST, OperationalError("HYT00", "Query timeout expired")) is None
    assert loss(HOST, TApplicationException(6, "Internal error processing ExecuteStatement")) is None
    assert loss(HOST, ValueError("bad value")) is None


CANNOT = "The Spark server at h:1 cannot be reached"
RUNS = "See that it runs, and check host and port in your profile."


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ConnectionRefusedError(111, "Connection refused"), f"{CANNOT} (Connection refused). {RUNS}"),
        (TTransportException(1, "Could not connect to any of [('h', 1)]"), f"{CANNOT} (Could not connect to any of [('h', 1)]). {RUNS}"),
        (TTransportException(1, "failed to resolve", gaierror(-2, "Name or service not known")), f"{CANNOT} (Name or service not known). {RUNS}"),
        (OSError(113, "No route to host"), f"{CANNOT} (No route to host). {RUNS}"),
        (TTransportException(1, "Bad status: 3 (b'Error validating the login')"),
         "The Spark server at h:1 refuses the login (Bad status: 3 (b'Error validating the login')). Check user and password in your profile."),
        (HttpError("HTTP 401 Unauthorized"), "The Spark server at h:1 refuses the login (HTTP 401 Unauthorized). Check user and password in your profile."),
        (OperationalError("28000", "[28000] bad user"), "The Spark server at h:1 refuses the login ([28000] bad user). Check user and password in your profile."),
        (HttpError("HTTP 405 Method Not Allowed"),
         "The Spark server at h:1 has no Thrift service there (HTTP 405 Method Not Allowed). Check http_path in your profile: it is hive.server2.thrift.http.path of the server."),
        (HttpError("HTTP 503 Service Unavailable"), "The Spark server at h:1 opens no session: HTTP 503 Service Unavailable"),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number"),
         "The Spark server at h:1 cannot be reached over TLS ([SSL: WRONG_VERSION_NUMBER] wrong version number). Check use_ssl and port in your profile. "
         "The authority of its certificate must be known here: SSL_CERT_FILE names a file of such."),
        (EOFError(),
         "The Spark server at h:1 does not answer as a Thrift server (EOFError). Check user and password, and use_ssl and method in your profile: "
         "method thrift is for hive.server2.transport.mode=binary on the server, method http for http."),
        (answered(f"Failed to open new session: no such schema{STACK}"), "The Spark server at h:1 opens no session: Failed to open new session: no such schema"),
        (ValueError("Password should be set if and only if in LDAP or CUSTOM mode"),
         "The Spark server at h:1 opens no session: Password should be set if and only if in LDAP or CUSTOM mode"),
    ],
    ids=lambda each: str(each)[:40] or "eof",
)  # fmt: skip
def test_a_connection_that_cannot_be_opened_says_what_to_check(error, sentence):
    assert not_opened(HOST, error, "user and password").msg == sentence
