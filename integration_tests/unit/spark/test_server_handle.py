"""A connection to a server as dbt uses it: errors on each call are sentences, and what is lost is not used again."""

from types import SimpleNamespace

import pytest
from dbt.adapters.spark.connections import PyhiveConnectionWrapper, ThriftState
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from pyhive.exc import OperationalError
from thrift.transport.TTransport import TTransportException

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_scope import ConfScope, SparkEndedError
from dbt.adapters.adaptive_spark.spark.remote import ServerCalls
from dbt.adapters.adaptive_spark.spark.server_error import ServerError, ServerLostError
from dbt.adapters.adaptive_spark.spark.server_handle import ServerHandle

LOST = TTransportException(4, "TSocket read 0 bytes")
SENTENCE = r"\bThe connection to the Spark server at h:1 was lost \(TSocket read 0 bytes\)\. Most likely"
DONE = SimpleNamespace(operationState=ThriftState.FINISHED_STATE, errorMessage=None)


class Driver:
    """PyHive's connection and its cursor. `fails` has the error that a call raises by the call's name."""

    def __init__(self):
        self.fails = {}
        self.called = []
        self.polled = [DONE]

    def _call(self, name):
        self.called.append(name)
        if name in self.fails:
            raise self.fails[name]

    def cursor(self):
        self._call("cursor")
        return self

    def execute(self, sql, bindings=None, async_=False):
        self._call("execute")

    def poll(self):
        self._call("poll")
        answer = self.polled.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def description(self):
        self._call("description")
        return [("n", "INT")]

    def fetchone(self):
        self._call("fetchone")
        return (1,)

    def fetchmany(self, size):
        self._call("fetchmany")
        return [(1,)] * size

    def fetchall(self):
        self._call("fetchall")
        return [(1,), (2,)]

    def cancel(self):
        self._call("cancel")

    def close(self):
        self._call("close")


@pytest.fixture
def driver():
    return Driver()


@pytest.fixture
def losses():
    """One entry for each connection that was lost."""
    return []


@pytest.fixture
def make_handle(driver, losses):
    def make(polls=0):
        calls = ServerCalls("the Spark server at h:1", lambda: losses.append(1))
        return ServerHandle(PyhiveConnectionWrapper(driver, poll_interval=0, query_retries=3), calls, polls)

    return make


@pytest.fixture
def handle(make_handle):
    return make_handle()


def test_a_statement_runs_and_its_rows_come_as_dbt_asks_for_them(handle):
    cursor = handle.cursor()
    cursor.execute("select n")
    assert cursor.description == [("n", "INT")]
    assert (cursor.fetchone(), cursor.fetchmany(3), cursor.fetchall()) == ((1,), [(1,)] * 3, [(1,), (2,)])


CALLS = {
    "cursor": lambda handle: handle.cursor(),
    "execute": lambda handle: handle.cursor().execute("insert into t select 1"),
    "poll": lambda handle: handle.cursor().execute("select 1"),
    "description": lambda handle: handle.cursor().description,
    "fetchone": lambda handle: handle.cursor().fetchone(),
    "fetchmany": lambda handle: handle.cursor().fetchmany(2),
    "fetchall": lambda handle: handle.cursor().fetchall(),
}
OF_OURS = {
    "statistics": lambda handle: handle.statistics("select 1"),
    "explicit": lambda handle: handle.explicit(["spark.a"]),
    "set": lambda handle: handle.set(ConfEntry("spark.a", "1")),
    "unset": lambda handle: handle.unset("spark.a"),
}


@pytest.mark.parametrize(
    "error", [LOST, ConnectionResetError(104, "TSocket read 0 bytes")], ids=["thrift", "http"]
)
@pytest.mark.parametrize("call", CALLS)
def test_a_connection_that_is_lost_says_so_on_each_call_of_dbts(handle, driver, losses, call, error):
    driver.fails[call] = error
    with pytest.raises(ServerLostError, match=SENTENCE):
        CALLS[call](handle)
    assert losses == [1]


@pytest.mark.parametrize("where", ["cursor", "execute", "fetchall", "description"])
@pytest.mark.parametrize("call", OF_OURS)
def test_a_connection_that_is_lost_says_so_on_each_query_of_ours(handle, driver, call, where):
    driver.fails = {where: LOST, "close": LOST}
    with pytest.raises(ServerLostError, match=SENTENCE):
        OF_OURS[call](handle)


@pytest.mark.parametrize("call", [*CALLS, *OF_OURS])
def test_a_connection_that_was_lost_is_not_used_again_and_says_so_anew(handle, driver, losses, call):
    driver.fails = {"execute": LOST}
    with pytest.raises(ServerLostError):
        handle.statistics("select 1")
    driver.called, driver.fails = [], {}
    with pytest.raises(ServerLostError, match=SENTENCE):
        (CALLS | OF_OURS)[call](handle)
    handle.cancel()
    handle.close()
    assert (driver.called, losses) == ([], [1])


def test_the_end_of_a_connection_raises_nothing_whatever_the_driver_does(handle, driver):
    handle.cursor()
    driver.fails = {"close": OperationalError("gone"), "cancel": AttributeError("no operation")}
    handle.cancel()
    handle.close()
    assert driver.called == ["cursor", "cancel", "close"]


def test_a_statement_is_never_sent_twice(handle, driver):
    driver.polled = [LOST]
    with pytest.raises(ServerLostError):
        handle.cursor().execute("insert into t select 1")
    assert driver.called.count("execute") == 1


def test_a_poll_whose_answer_is_lost_is_sent_again_and_the_statement_is_not(make_handle, driver):
    driver.polled = [LOST, ConnectionResetError(104, "x"), DONE]
    make_handle(polls=2).cursor().execute("insert into t select 1")
    assert (driver.called.count("execute"), driver.polled) == (1, [])


@pytest.mark.parametrize(
    ("answers", "raised"),
    [([LOST, LOST, DONE], ServerLostError), ([OperationalError("no such table"), DONE], DbtDatabaseError)],
)
def test_a_poll_is_sent_again_no_more_often_than_the_profile_says_and_for_lost_answers_alone(
    make_handle, driver, answers, raised
):
    driver.polled = [*answers]
    with pytest.raises(raised):
        make_handle(polls=1).cursor().execute("insert into t select 1")
    assert driver.polled == [DONE]


STACK = "boom\n\tat org.apache.spark.X.f(X.scala:1)"
FAILED = SimpleNamespace(operationState=ThriftState.ERROR_STATE, errorMessage=STACK)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_fails_has_sparks_reason_without_javas_stack(handle, driver, call):
    driver.fails[call] = OperationalError(SimpleNamespace(status=SimpleNamespace(errorMessage=STACK)))
    with pytest.raises(DbtDatabaseError) as error:
        CALLS[call](handle)
    assert error.value.msg == "boom"
    driver.fails = {}
    assert handle.statistics("select 1") == [(1,), (2,)]


def test_a_statement_that_fails_while_it_is_polled_has_sparks_reason_without_javas_stack(handle, driver):
    driver.polled = [FAILED]
    with pytest.raises(DbtDatabaseError) as error:
        handle.cursor().execute("select 1")
    assert error.value.msg == "boom"


def test_a_query_of_ours_that_fails_is_one_line_that_alone_is_its_text(handle, driver):
    driver.fails["execute"] = RuntimeError("No such function: f\nmore of it")
    with pytest.raises(ServerError) as error:
        handle.statistics("select f()")
    assert (str(error.value), error.value.msg) == ("No such function: f",) * 2


def test_dbt_sparks_own_sentences_stay(handle, driver):
    driver.fails["poll"] = DbtRuntimeError("Query exceeded timeout of 1 seconds")
    with pytest.raises(DbtRuntimeError) as error:
        handle.cursor().execute("select 1")
    assert error.value.msg == "Query exceeded timeout of 1 seconds"


def test_a_node_whose_server_ends_while_its_confs_are_set_has_the_sentence_and_puts_nothing_back(
    handle, driver
):
    driver.fails["execute"] = LOST
    scope = ConfScope(handle, [ConfEntry("spark.a", "1")])
    with pytest.raises(SparkEndedError, match=SENTENCE):
        scope.enter("models/orders.sql")
    assert scope.leave() == []


def test_confs_that_a_lost_connection_takes_with_it_are_not_said_to_stay(handle, driver):
    driver.fetchall = lambda: [("spark.a", "0")]
    scope = ConfScope(handle, [ConfEntry("spark.a", "1"), ConfEntry("spark.b", "1")])
    scope.enter("models/orders.sql")
    driver.fails["execute"] = LOST
    assert scope.leave() == []
