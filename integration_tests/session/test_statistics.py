"""The extension's memory of a node's statements, read through the adapter's own SQL."""

import pytest

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.response.adapter_response import response
from dbt.adapters.adaptive_spark.response.run_stats import run_stats
from dbt.adapters.adaptive_spark.response.statement_response import (
    QueryScope,
    newest_query,
    stats_sql,
)


@pytest.fixture
def node(handle, request):
    """A connection that works for a node of this test's name."""
    tag = f"model.test.{request.node.name}"
    handle.set(ConfEntry("spark.sql.adaptiveFilter.queryTag", tag))
    handle.set(ConfEntry("spark.sql.adaptiveFilter.runId", "run"))
    handle.set(ConfEntry("spark.sql.adaptiveFilter.collectRate", "10"))
    return handle, QueryScope(tag, "run", -1)


def statistics(handle, scope):
    return run_stats(handle.statistics(stats_sql(scope))[0][0])


def test_a_table_reports_its_rows_and_its_filter(node):
    handle, scope = node
    handle.cursor().execute(
        "create table learned using parquet as "
        "select id from range(200000) where id % 1000 >= 0 and sqrt(id) >= 0 and id % 100 = 7"
    )
    told = response(statistics(handle, scope))
    assert told.rows_affected == 2000
    assert len(told.adaptive_filters) == 1
    learned = told.adaptive_filters[0]
    assert (learned["rows_in"], learned["rows_out"]) == (200000, 2000)
    assert sorted(each["written_position"] for each in learned["conjuncts"]) == [0, 1, 2]
    assert [each["final_position"] for each in learned["conjuncts"]] == [0, 1, 2]
    assert learned["conjuncts"][0]["written_position"] == 2
    assert learned["conjuncts"][0]["selectivity"] == pytest.approx(0.01, abs=0.01)


def test_asking_leaves_no_trace_and_the_next_report_starts_after_the_last(node):
    handle, scope = node
    handle.cursor().execute("select count(*) from range(1000) where id % 3 = 0 and id % 7 = 0")
    stats = statistics(handle, scope)
    assert len(stats["filters"]) == 2
    after = QueryScope(scope.query_tag, scope.run_id, newest_query(stats, scope.after))
    assert not any(statistics(handle, after).values())
    assert statistics(handle, scope) == stats


def test_a_filter_that_is_switched_off_reports_nothing(node):
    handle, scope = node
    handle.set(ConfEntry("spark.sql.adaptiveFilter.enabled", "false"))
    handle.cursor().execute("select count(*) from range(1000) where id % 3 = 0 and id % 7 = 0")
    assert statistics(handle, scope)["filters"] == []
