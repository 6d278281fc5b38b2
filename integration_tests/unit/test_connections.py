"""The connection manager around a connection: confs, responses, and what happens when reading them fails."""

import json
import multiprocessing
from types import SimpleNamespace
from typing import ClassVar

import pytest
from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from dbt.adapters.adaptive_spark import connections
from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.connections import (
    AdaptiveSparkConnectionManager,
)
from dbt.adapters.adaptive_spark.response.statement_response import QueryScope
from dbt.adapters.adaptive_spark.spark.server_error import ServerLostError
from dbt.adapters.adaptive_spark.spark.spark_end import process_ended

NODE = "model.shop.orders"
SCOPE = QueryScope(NODE, "run-1", -1)
FILTER = {
    "query_id": 18,
    "filter_id": 7,
    "predicate": "(s.t.a > 5)",
    "shape": "t: (a > ?)",
    "written_position": 0,
    "final_position": 0,
    "rows_monitored": 5,
    "selectivity": 0.5,
    "cost_ns": 12.5,
    "reorderings": 2,
    "rows_in": 100,
    "rows_out": 10,
    "may_throw": False,
    "branch": None,
}


class Handle:
    """A connection whose statements succeed and whose statistics are given."""

    def __init__(self):
        self.confs = {}
        self.queries, self.filters = [{"query_id": 18, "rows_written": 10}], [FILTER]
        self.asked, self.executed = [], []
        self.failure = None
        self.description = []

    def cursor(self):
        return self

    def execute(self, sql, bindings=None):
        self.executed.append(sql)

    def statistics(self, sql):
        if self.failure is not None:
            raise self.failure
        self.asked.append(sql)
        stats = {"queries": self.queries, "filters": self.filters, "dynamic": [], "plans": []}
        return [(json.dumps(stats),)]

    def explicit(self, keys):
        return {key: self.confs.get(key) for key in keys}

    def set(self, entry):
        self.confs[entry.key] = entry.value

    def unset(self, key):
        self.confs.pop(key, None)


@pytest.fixture
def handle():
    return Handle()


@pytest.fixture
def manager(handle, monkeypatch, tmp_path):
    profile = SimpleNamespace(credentials=None, project_target_path=str(tmp_path / "target"))
    manager = AdaptiveSparkConnectionManager(profile, multiprocessing.get_context("spawn"))
    connection = Connection("adaptive_spark", "model.shop.orders", None, ConnectionState.OPEN, handle=handle)
    manager.set_thread_connection(connection)
    monkeypatch.setattr(manager, "_add_query_comment", lambda sql: sql)
    return manager


def test_a_statement_of_a_node_says_what_it_learned(manager, handle):
    manager.enter_node(NODE, [ConfEntry("spark.a", "1")], SCOPE, "models/orders.sql")
    assert handle.confs == {"spark.a": "1"}
    response, _ = manager.execute("create table t as select 1")
    assert str(response) == "OK, 10 rows"
    assert response.rows_affected == 10
    assert [each["filter_id"] for each in response.adaptive_filters] == [7]


def test_each_statement_reports_only_what_came_after_the_last(manager, handle):
    node = manager.enter_node(NODE, [], SCOPE, "models/orders.sql")
    manager.execute("select 1")
    handle.queries, handle.filters = [], []
    response, _ = manager.execute("select 2")
    assert response.adaptive_filters == []
    assert [sql.rsplit(" ", 1)[1] for sql in handle.asked] == ["-1)", "18)"]
    manager.leave_node(node)
    assert handle.confs == {}


def test_a_statement_that_does_no_work_asks_nothing(manager, handle):
    manager.enter_node(NODE, [], SCOPE, "models/orders.sql")
    response, _ = manager.execute("describe extended t")
    assert (str(response), handle.asked) == ("OK", [])


def test_a_statement_outside_a_node_asks_nothing(manager, handle):
    node = manager.enter_node(NODE, [], SCOPE, "models/orders.sql")
    manager.leave_node(node)
    response, _ = manager.execute("select 1")
    assert (str(response), handle.asked) == ("OK", [])


def test_statistics_that_cannot_be_read_warn_once_and_fail_nothing(manager, handle, monkeypatch):
    warnings = []
    monkeypatch.setattr(
        "dbt.adapters.adaptive_spark.connections._logger", SimpleNamespace(warning=warnings.append)
    )
    handle.failure = RuntimeError("no such function")
    manager.enter_node(NODE, [], SCOPE, "models/orders.sql")
    assert [str(manager.execute("select 1")[0]) for _ in range(2)] == ["OK", "OK"]
    assert warnings == [
        "What the filters learned could not be read, so the artifacts of this run lack it: no such function"
    ]


def test_what_is_known_of_a_node_is_told_once_before_it_begins_and_is_no_conf(manager, handle):
    node = manager.enter_node(NODE, [ConfEntry("spark.a", "1")], SCOPE, "models/orders.sql", '{"version":2}')
    assert handle.asked == [f"select done from adaptive_remember('{NODE}', 'run-1', '{{\"version\":2}}')"]
    assert handle.confs == {"spark.a": "1"}
    manager.leave_node(node)
    assert len(handle.asked) == 1


def test_what_spark_does_not_take_warns_once_and_fails_no_node(manager, handle, monkeypatch):
    warnings = []
    monkeypatch.setattr(
        "dbt.adapters.adaptive_spark.connections._logger", SimpleNamespace(warning=warnings.append)
    )
    handle.failure = RuntimeError("no such function")
    for _ in range(2):
        manager.leave_node(manager.enter_node(NODE, [], SCOPE, "models/orders.sql", "{}"))
    assert warnings == [
        "What earlier runs learned could not be told to Spark, so filters learn anew: no such function"
    ]


def test_confs_that_cannot_be_put_back_are_named(manager, handle, monkeypatch):
    warnings = []
    monkeypatch.setattr(
        "dbt.adapters.adaptive_spark.connections._logger", SimpleNamespace(warning=warnings.append)
    )

    def lost(key):
        raise RuntimeError("connection lost")

    node = manager.enter_node(NODE, [ConfEntry("spark.a", "1")], SCOPE, "models/orders.sql")
    handle.unset = lost
    manager.leave_node(node)
    assert warnings == [
        "spark.sql.sources.partitionOverwriteMode, spark.a could not be put back after model.shop.orders. "
        "Later statements on this connection may see the model's values."
    ]


def test_a_spark_that_has_ended_is_not_warned_of_beside_its_error(manager, handle, monkeypatch):
    warnings = []
    monkeypatch.setattr(
        "dbt.adapters.adaptive_spark.connections._logger", SimpleNamespace(warning=warnings.append)
    )

    def ended(key):
        raise process_ended(-9, None)

    node = manager.enter_node(NODE, [ConfEntry("spark.a", "1")], SCOPE, "models/orders.sql")
    handle.failure, handle.unset = process_ended(-9, None), ended
    assert str(manager.execute("select 1")[0]) == "OK"
    manager.leave_node(node)
    assert warnings == []


def test_what_was_learned_is_in_the_file_once_dbt_closes_the_connections(manager, tmp_path):
    file = tmp_path / "target" / "adaptive_filters.json"
    node = manager.enter_node(NODE, [], SCOPE, "models/orders.sql")
    manager.execute("create table t as select 1")
    manager.leave_node(node)
    assert not file.exists()
    manager.cleanup_all()
    counts = {"monitored": 5, "passed": 2, "nanos": 62}
    assert json.loads(file.read_text()) == {
        "version": 2,
        "nodes": {NODE: {"age": 0, "predicates": {"t: (a > ?)": counts}}},
    }
    assert manager.thread_connections == {}


def test_a_nodes_end_writes_what_was_learned_when_the_last_time_is_long_ago(manager, tmp_path, monkeypatch):
    monkeypatch.setattr("dbt.adapters.adaptive_spark.learned.store._SAVE_EVERY_S", 0)
    node = manager.enter_node(NODE, [], SCOPE, "models/orders.sql")
    manager.execute("create table t as select 1")
    manager.leave_node(node)
    assert NODE in (tmp_path / "target" / "adaptive_filters.json").read_text()


def test_a_sentence_for_the_user_is_not_wrapped(manager):
    with pytest.raises(DbtDatabaseError) as error, manager.exception_handler("select 1"):
        raise DbtDatabaseError("The statement was cancelled.")
    assert error.value.msg == "The statement was cancelled."


def test_a_drivers_error_becomes_dbts(manager):
    with pytest.raises(DbtRuntimeError) as error, manager.exception_handler("select 1"):
        raise ValueError("bad value")
    assert error.value.msg == "bad value"


class Servers:
    """The server of a command, which notes who asks for one and may refuse."""

    made: ClassVar = []

    def __init__(self, credentials):
        self.credentials = credentials
        self.refuses = []
        self.made.append(self)

    def connect(self):
        if self.refuses:
            raise self.refuses.pop()
        return Handle()


@pytest.fixture
def on_server(monkeypatch, tmp_path):
    """A manager whose profile is a server's, and that server once a connection is asked for."""
    monkeypatch.setattr(connections, "CommandServer", Servers)
    monkeypatch.setattr(Servers, "made", [])
    credentials = SimpleNamespace(method="thrift", file_format=None)
    profile = SimpleNamespace(credentials=credentials, project_target_path=str(tmp_path / "target"))
    return AdaptiveSparkConnectionManager(profile, multiprocessing.get_context("spawn"))


def test_a_command_has_one_server_for_all_its_connections_and_the_next_command_another(on_server):
    for _ in range(2):
        for name in ("master", "model.shop.orders"):
            assert on_server.set_connection_name(name).handle is not None
            on_server.release()
        on_server.cleanup_all()
    assert [each.credentials is on_server.profile.credentials for each in Servers.made] == [True, True]


def test_a_connection_that_could_not_be_opened_is_tried_anew(on_server):
    connection = on_server.set_connection_name("model.shop.orders")
    assert connection.handle is not None
    on_server.release()
    Servers.made[0].refuses = [FailedToConnectError("The Spark server at h:1 cannot be reached.")]
    connection = on_server.set_connection_name("model.shop.orders")
    with pytest.raises(FailedToConnectError, match="cannot be reached"):
        _ = connection.handle
    assert connection.state != ConnectionState.OPEN
    on_server.release()
    connection = on_server.set_connection_name("model.shop.orders")
    assert (connection.handle is not None, connection.state) == (True, ConnectionState.OPEN)


def test_a_server_that_is_lost_while_what_was_learned_is_read_warns_and_fails_no_model(
    manager, handle, monkeypatch
):
    warnings = []
    monkeypatch.setattr(connections, "_logger", SimpleNamespace(warning=warnings.append))
    handle.failure = ServerLostError("The connection to the Spark server at h:1 was lost.")
    manager.enter_node(NODE, [], SCOPE, "models/orders.sql")
    assert [str(manager.execute("select 1")[0]) for _ in range(2)] == ["OK", "OK"]
    assert warnings == [
        "What the filters learned could not be read, so the artifacts of this run lack it: The connection to the Spark server at h:1 was lost."
    ]


def test_a_lost_server_fails_the_statement_and_the_fetch_with_its_sentence(manager, handle):
    lost = ServerLostError("The connection to the Spark server at h:1 was lost.")

    def fail(*_):
        raise lost

    handle.description, handle.fetchall = [("n",)], fail
    with pytest.raises(ServerLostError) as error:
        manager.execute("select 1", fetch=True)
    assert error.value.msg == lost.msg
    handle.execute = fail
    with pytest.raises(ServerLostError) as error:
        manager.execute("select 1")
    assert error.value.msg == lost.msg
