"""The adapter's own observations never cost a user's statement, whatever Spark answers."""

import json
import multiprocessing
from types import SimpleNamespace

import pytest
from answers import DYNAMIC, FILTER, PLAN, QUERY, WHOLE
from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt_common.exceptions import DbtDatabaseError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dbt.adapters.adaptive_spark import connections, impl
from dbt.adapters.adaptive_spark.connections import AdaptiveSparkConnectionManager
from dbt.adapters.adaptive_spark.impl import AdaptiveSparkAdapter
from dbt.adapters.adaptive_spark.learned import store
from dbt.adapters.adaptive_spark.response.statement_response import QueryScope

NODE = "model.shop.orders"
LACKING = "What the filters learned could not be read, so the artifacts of this run lack it: "


class Handle:
    """A connection whose statements succeed, and which answers the adapter's own questions with `answer`."""

    description = ()

    def __init__(self):
        self.answer = [(json.dumps(WHOLE),)]

    def cursor(self):
        return self

    def execute(self, sql, bindings=None):
        pass

    def statistics(self, sql):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def explicit(self, keys):
        if isinstance(self.answer, Exception):
            raise self.answer
        return dict.fromkeys(keys)

    def unset(self, key):
        pass


class Run:
    """A node's statements on a connection, from its first to the end of dbt's run."""

    def __init__(self, target):
        self.handle, self.warnings = Handle(), []
        profile = SimpleNamespace(credentials=None, project_target_path=str(target))
        self.manager = AdaptiveSparkConnectionManager(profile, multiprocessing.get_context("spawn"))
        self.manager.set_thread_connection(
            Connection("adaptive_spark", NODE, None, ConnectionState.OPEN, handle=self.handle)
        )
        self.manager._add_query_comment = lambda sql: sql

    def statements(self, *answers):
        node = self.manager.enter_node(NODE, [], QueryScope(NODE, "run-1", -1), "models/orders.sql")
        responses = []
        for self.handle.answer in answers:
            responses.append(self.manager.execute("create table t as select 1")[0])
        self.manager.leave_node(node)
        self.manager.cleanup_all()
        return responses


@pytest.fixture
def run(tmp_path, monkeypatch):
    run = Run(tmp_path / "target")
    for module in (connections, store):
        logger = SimpleNamespace(warning=run.warnings.append, debug=lambda text: None)
        monkeypatch.setattr(module, "_logger", logger)
    return run


# what JSON holds, and what Python's reader takes for it
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("filtered")
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.just("kept"), inner),
    max_leaves=6,
)


def nearly(row):
    """Rows of a kind in which some columns are missing or hold something else, mostly of the column's own type."""

    def changed(name):
        own = {int: st.integers(), float: st.floats(), str: st.text(max_size=12)}.get(type(row[name]))
        return st.just(row[name]) | (ANYTHING if own is None else own) | ANYTHING

    columns = st.fixed_dictionaries({}, optional={name: changed(name) for name in row})
    missing = st.sets(st.sampled_from(sorted(row)), max_size=1)
    return st.tuples(columns, missing).map(
        lambda given: {name: value for name, value in {**row, **given[0]}.items() if name not in given[1]}
    )


def rows(row):
    return st.lists(nearly(row) | ANYTHING, max_size=3)


NEARLY = st.fixed_dictionaries(
    {},
    optional={
        "queries": rows(QUERY) | ANYTHING,
        "filters": rows(FILTER) | ANYTHING,
        "dynamic": rows(DYNAMIC) | ANYTHING,
        "plans": rows(PLAN) | ANYTHING,
    },
).map(lambda tables: {**WHOLE, **tables})


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=(NEARLY | ANYTHING).map(json.dumps) | st.text(max_size=40) | st.none())
def test_no_answer_of_sparks_costs_a_model_its_response(tmp_path_factory, answer):
    run = Run(tmp_path_factory.mktemp("fuzz"))
    first, second = run.statements([(answer,)], [(json.dumps(WHOLE),)])
    assert str(first).startswith("OK")
    assert second.adaptive_filters, "the next statement says again what it did"
    json.dumps([first.to_dict(), second.to_dict()])


@pytest.mark.parametrize("answer", [[], [()], [(None,)], [(5,)], [("[" * 5_000,)], None])
def test_an_answer_without_a_text_warns_once(run, answer):
    assert [str(each) for each in run.statements(answer, answer)] == ["OK", "OK"]
    (sentence,) = run.warnings
    assert sentence.startswith(LACKING)
    assert len(sentence) > len(LACKING)


def test_the_warning_names_the_column_that_is_not_as_declared(run):
    lacking = {**WHOLE, "filters": [{**FILTER, "rows_monitored": None}]}
    assert [str(each) for each in run.statements([(json.dumps(lacking),)])] == ["OK"]
    assert run.warnings == [f"{LACKING}filters.rows_monitored is null"]


def test_measurements_that_cannot_be_added_up_warn_once_and_stay_in_the_artifacts(run):
    impossible = json.dumps({**WHOLE, "filters": [{**FILTER, "selectivity": 7.5}]})
    responses = run.statements([(impossible,)], [(impossible,)])
    assert [each.adaptive_filters[0]["conjuncts"][0]["selectivity"] for each in responses] == [7.5, 7.5]
    assert run.warnings == [
        f"What the filters of {NODE} learned is not kept for the next run, since what Spark measured is unusable: "
        "38 rows of 5 passed."
    ]


@pytest.fixture
def adapter(run, monkeypatch):
    adapter = object.__new__(AdaptiveSparkAdapter)
    adapter.connections = run.manager
    return adapter


def test_a_bulk_filter_is_written_without_statistics_where_they_cannot_be_read(run, adapter):
    run.handle.answer = RuntimeError("no such function")
    assert [adapter._facts("shop.orders"), adapter._facts("shop.visits")] == [None, None]
    assert run.warnings == [
        "bulk_filter starts in the written order, since statistics cannot be read: no such function"
    ]


def test_dbt_debug_passes_without_the_jars_of_a_spark_that_does_not_list_them(run, adapter, monkeypatch):
    said = []
    monkeypatch.setattr(impl, "fire_event", lambda event: said.append(event.msg))
    adapter.execute = lambda sql, fetch: (None, SimpleNamespace(rows=[("4.3.0 abc", "0.1.0")]))
    run.handle.answer = RuntimeError("SET is not allowed")
    adapter.debug_query()
    assert said == ["  spark: 4.3.0", "  extension: 0.1.0"]
    assert run.warnings == ["Spark does not say its spark.jars: SET is not allowed"]


@pytest.mark.parametrize("error", [RuntimeError("lost"), DbtDatabaseError("lost")])
def test_statistics_at_the_runs_end_cost_no_run(run, adapter, error, monkeypatch):
    def finish():
        raise error

    adapter.statistics = SimpleNamespace(has_pending=True, finish=finish)
    adapter.cleanup_connections()
    assert run.manager.thread_connections == {}, "dbt's connections are closed all the same"
    (sentence,) = run.warnings
    assert sentence.startswith("Statistics of microbatch models could not be collected: ")


def test_a_start_ahead_of_time_that_fails_is_left_to_who_waits_for_it(monkeypatch, tmp_path):
    from dbt.adapters.adaptive_spark.spark import local_session

    asked = []

    def fails(credentials, formats):
        asked.append(credentials)
        raise AttributeError("a pyspark of another kind")

    monkeypatch.setattr(local_session, "start_early", fails)
    profile = SimpleNamespace(
        credentials=SimpleNamespace(method="session", file_format=None), project_target_path=str(tmp_path)
    )
    AdaptiveSparkConnectionManager(profile, multiprocessing.get_context("spawn"))._start_spark()
    assert asked
