"""Sessions of one dbt command on a server: opened, proven on each Spark that answers, and given what they lack."""

from types import SimpleNamespace

import pytest
from dbt.adapters.contracts.connection import ConnectionState
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.spark.connections import PyhiveConnectionWrapper, SparkConnectionManager
from dbt_common.exceptions import DbtRuntimeError
from pyhive.exc import OperationalError

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark import command_server
from dbt.adapters.adaptive_spark.spark.command_server import CommandServer
from dbt.adapters.adaptive_spark.spark.extension_check import PROOF
from dbt.adapters.adaptive_spark.spark.installation import with_extension
from dbt.adapters.adaptive_spark.spark.server_error import HttpError, ServerLostError
from dbt.adapters.adaptive_spark.spark.session_conf import SESSION_DEFAULTS

NO_EXTENSION = {PROOF: "[UNRESOLVED_ROUTINE] Cannot resolve routine `adaptive_spark_version`"}
PROVEN, KNOWN = ["SET", PROOF], ["SET"]


def application(number, **confs):
    """The confs of a session on a Spark of its own, the defaults among them."""
    return {
        **SESSION_DEFAULTS,
        "spark.app.id": f"app-{number}",
        "spark.app.startTime": f"100{number}",
        **{key.replace("_", "."): value for key, value in confs.items()},
    }


class Endpoint:
    """A host and port: the sessions that it gives, one a request, or the errors that it raises instead."""

    def __init__(self, sessions):
        self.sessions = sessions
        self.requests = []

    def open(self, connection):
        credentials = connection.credentials
        self.requests.append(credentials)
        session = self.sessions.pop(0)
        if isinstance(session, Exception):
            raise session
        connection.handle, connection.state = PyhiveConnectionWrapper(session), ConnectionState.OPEN
        return connection


@pytest.fixture
def warnings(monkeypatch):
    said = []
    monkeypatch.setattr(command_server, "_logger", SimpleNamespace(warning=said.append))
    return said


@pytest.fixture
def slept(monkeypatch):
    """The waits, in seconds."""
    waits = []
    monkeypatch.setattr(command_server.time, "sleep", waits.append)
    return waits


@pytest.fixture
def make(monkeypatch, warnings):
    """A command's server, its profile's keys given, and the endpoint that gives these sessions."""

    def make_(*sessions, method="thrift", **keys):
        endpoint = Endpoint([*sessions])
        monkeypatch.setattr(SparkConnectionManager, "open", endpoint.open)
        given = {"schema": "s", "host": "h", "port": 1, "user": "ann", "method": method, **keys}
        return CommandServer(AdaptiveSparkCredentials.from_dict(given)), endpoint

    return make_


def test_the_first_session_of_a_command_proves_and_the_others_do_not(make, make_server):
    sessions = [make_server(application(1)) for _ in range(3)]
    server, _ = make(*sessions)
    for _ in sessions:
        server.connect()
    assert [each.executed for each in sessions] == [PROVEN, KNOWN, KNOWN]


def test_each_command_proves_for_itself(make, make_server):
    for _ in range(2):
        session = make_server(application(1))
        server, _ = make(session)
        server.connect()
        assert session.executed == PROVEN


def test_a_server_that_was_restarted_without_the_jar_is_found_out(make, make_server):
    server, _ = make(make_server(application(1)), make_server(application(2), NO_EXTENSION))
    server.connect()
    with pytest.raises(FailedToConnectError) as error:
        server.connect()
    assert error.value.msg == (
        "The adaptive-spark extension is not loaded in the Spark server at h:1. "
        f"Start the server {with_extension()}."
    )


def test_each_of_several_sparks_behind_one_address_is_proven_and_has_fixed_confs_of_its_own(
    make, make_server, warnings
):
    fixed = "[CANNOT_MODIFY_STATIC_CONFIG] no"
    first = [make_server(application(1), {"SET `spark.a.b`=`1`": fixed}) for _ in range(2)]
    second = [make_server(application(2)) for _ in range(2)]
    server, _ = make(
        first[0], second[0], first[1], second[1], method="http", server_side_parameters={"spark.a.b": "1"}, user=None,
        cluster="c", token="t0ken",
    )  # fmt: skip
    for _ in range(4):
        server.connect()
    setting = "SET `spark.a.b`=`1`"
    assert [each.executed for each in first] == [[*PROVEN, setting], KNOWN], "fixed there"
    assert [each.executed for each in second] == [[*PROVEN, setting], [*KNOWN, setting]], "not fixed there"
    assert len(warnings) == 1


def test_what_one_spark_had_to_be_given_does_not_go_to_another(make, make_server):
    lacks = {**application(1), "spark.sql.cbo.enabled": "no"}
    del lacks["spark.sql.ansi.enabled"]
    own = application(2, spark_sql_ansi_enabled="true")
    sessions = [make_server(lacks), make_server(own), make_server(own), make_server(own)]
    server, endpoint = make(*sessions)
    for _ in range(3):
        server.connect()
    given = [each.server_side_parameters for each in endpoint.requests]
    assert given == [{}, {"set:hiveconf:spark.sql.ansi.enabled": "false"}, {}, {}]
    assert [each.executed for each in sessions[1:]] == [["SET"], PROVEN, KNOWN]
    assert sessions[1].closed > 0


def test_after_a_lost_connection_the_next_one_proves_even_where_spark_has_no_name(make, make_server):
    sessions = [make_server(dict(SESSION_DEFAULTS)) for _ in range(4)]
    server, _ = make(*sessions)
    server.connect()
    handle = server.connect()
    assert sessions[1].executed == KNOWN

    def lost(sql):
        raise ConnectionResetError(104, "Connection reset by peer")

    sessions[1].execute = lost
    with pytest.raises(ServerLostError, match="connection to the Spark server at h:1 was lost"):
        handle.statistics("select 1")
    for _ in range(2):
        server.connect()
    assert [each.executed for each in sessions[2:]] == [PROVEN, KNOWN]


def test_after_a_refused_connection_the_next_one_proves(make, make_server):
    sessions = [make_server(dict(SESSION_DEFAULTS)) for _ in range(2)]
    refused = FailedToConnectError("failed to connect")
    refused.__cause__ = ConnectionRefusedError(111, "Connection refused")
    server, _ = make(sessions[0], refused, sessions[1])
    server.connect()
    with pytest.raises(FailedToConnectError) as error:
        server.connect()
    assert error.value.msg == (
        "The Spark server at h:1 cannot be reached (Connection refused). See that it runs, "
        "and check host and port in your profile."
    )
    server.connect()
    assert sessions[1].executed == PROVEN


def test_fixed_parameters_are_named_once_a_command(make, make_server, warnings):
    parameters = {"spark.master": "yarn", "spark.a": "1", "spark.driver.memory": "8g"}
    first, second, third = (make_server(application(each)) for each in (1, 1, 2))
    server, endpoint = make(first, second, third, third, server_side_parameters=parameters)
    for _ in range(3):
        server.connect()
    asked = [each.server_side_parameters for each in endpoint.requests]
    assert asked[:2] == [parameters, {**parameters, "set:hiveconf:spark.a": "1"}]
    assert second.executed == ["SET", "SET `spark.a`=`1`"], "this server does not take it so"
    assert warnings == [
        "server_side_parameters: spark.driver.memory, spark.master cannot be set from a profile on the Spark server at h:1, "
        "which runs already, and have no effect. Set them where the server is started, such as in its "
        "spark-defaults.conf."
    ]


@pytest.mark.parametrize("executed", ["SET", PROOF, "SET `spark.n`=`abc`"])
def test_a_session_that_cannot_begin_is_closed(make, make_server, executed):
    session = make_server(application(1), {executed: "It should be an int."})
    server, _ = make(session, server_side_parameters={"spark.n": "abc"})
    closed = session.closed
    with pytest.raises(DbtRuntimeError, match="It should be an int"):
        server.connect()
    assert session.closed > closed


def test_a_server_that_ends_while_a_session_is_opened_says_so(make, make_server):
    for after in range(3):
        session = make_server(application(1))
        session.refuses = {["SET", PROOF, "SET `spark.n`=`1`"][after]: "never"}

        def execute(sql, session=session):
            if sql in session.refuses:
                raise BrokenPipeError(32, "Broken pipe")
            type(session).execute(session, sql)

        session.execute = execute
        server, _ = make(session, server_side_parameters={"spark.n": "1"})
        with pytest.raises(ServerLostError, match=r"at h:1 was lost \(Broken pipe\)"):
            server.connect()


def failed(error):
    """The error as dbt-spark raises it."""
    sentence = FailedToConnectError(f"failed to connect: {type(error).__name__}: {error}")
    sentence.__cause__ = error
    return sentence


PENDING = OperationalError(
    SimpleNamespace(status=SimpleNamespace(errorMessage="pending\n\tat a.B.c(B.scala:1)"))
)


@pytest.mark.parametrize(
    ("error", "retry_all", "attempts"),
    [
        (PENDING, False, 3),
        (OperationalError("TEMPORARILY_UNAVAILABLE: the cluster starts"), False, 3),
        (HttpError("HTTP 503 Service Unavailable"), False, 3),
        (ConnectionRefusedError(111, "Connection refused"), False, 1),
        (ConnectionRefusedError(111, "Connection refused"), True, 3),
    ],
)
def test_a_connection_is_tried_again_as_the_profile_says(make, warnings, slept, error, retry_all, attempts):
    errors = [failed(error) for _ in range(attempts)]
    server, endpoint = make(*errors, connect_retries=2, connect_timeout=7, retry_all=retry_all)
    with pytest.raises(FailedToConnectError):
        server.connect()
    assert (len(endpoint.requests), slept) == (attempts, [7] * (attempts - 1))
    assert [each.connect_retries for each in endpoint.requests] == [0] * attempts
    assert len(warnings) == attempts - 1
    assert not any("\tat" in warning for warning in warnings)


def test_a_profile_that_dbt_spark_finds_wrong_keeps_its_sentence(make):
    server, _ = make(DbtRuntimeError("Either `cluster`, `endpoint`, `connection_string_suffix` must set"))
    with pytest.raises(DbtRuntimeError, match="Either `cluster`"):
        server.connect()


def test_a_thrift_server_in_http_mode_is_named_with_its_path_and_opened_with_what_its_sessions_lack(
    make, make_server, monkeypatch
):
    from dbt.adapters.adaptive_spark.spark import http_session

    asked = []

    def open_session(credentials, confs):
        asked.append(dict(confs))
        return PyhiveConnectionWrapper(make_server({"spark.app.id": "app-1"}))

    monkeypatch.setattr(http_session, "open_session", open_session)
    server, _ = make(method="http")
    assert server.name == "the Spark server at h:1/cliservice"
    for _ in range(2):
        server.connect()
    assert asked == [{}, {f"set:hiveconf:{key}": value for key, value in SESSION_DEFAULTS.items()}]
