"""The extension exports each name that the adapter reads."""

from dataclasses import fields

import pytest

from dbt.adapters.adaptive_spark.conf.extension_facts import columns, threshold
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter
from dbt.adapters.adaptive_spark.response.plan_changes import plan_changes
from dbt.adapters.adaptive_spark.response.statement_response import dynamic_filters, learned_filters

LABELS = ("query_id", "query_tag", "run_id")


def test_columns_come_in_order_and_by_what_they_belong_to():
    assert columns("adaptive_query_stats") == (*LABELS, "rows_written", "bytes_written")
    assert columns("adaptive_filter_stats", "filter") == ("filter_id", "reorderings", "rows_in", "rows_out")
    of_parts = columns("adaptive_filter_stats", "query", "filter", "conjunct")
    assert of_parts == columns("adaptive_filter_stats")


def test_a_response_has_every_column_but_the_labels():
    row = dict.fromkeys(columns("dynamic_filter_stats"), 1)
    assert [tuple(each) for each in dynamic_filters([row])] == [
        columns("dynamic_filter_stats")[len(LABELS) :]
    ]
    (learned,) = learned_filters([dict.fromkeys(columns("adaptive_filter_stats"), 1)])
    (conjunct,) = learned.pop("conjuncts")
    assert {*LABELS, *learned, *conjunct} == {*columns("adaptive_filter_stats")}


def test_the_report_reads_columns_of_dynamic_filters():
    names = {each.name for each in fields(DynamicFilter)} - {"code", "figures"}
    assert names | {"verdict_code", "verdict_figures"} <= {*columns("dynamic_filter_stats")}


def test_changes_of_plans_are_read_from_their_columns():
    row = {**dict.fromkeys(columns("adaptive_plan_stats"), 7), "kind": "coalesced"}
    (change,) = plan_changes([row])["coalesced"]
    assert {*LABELS, "kind", *change} == {*columns("adaptive_plan_stats")}


def test_what_is_not_exported_is_an_error():
    with pytest.raises(KeyError):
        columns("adaptive_nothing")
    with pytest.raises(KeyError):
        threshold("nothing")
