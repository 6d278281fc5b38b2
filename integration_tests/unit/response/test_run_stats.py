"""Spark's answer about a statement's queries: whole, or refused with the column that is not as declared."""

import json

import pytest
from answers import DYNAMIC, FILTER, PLAN, QUERY, WHOLE

from dbt.adapters.adaptive_spark.response.run_stats import run_stats


def read(**tables):
    return run_stats(json.dumps({**WHOLE, **tables}))


def test_an_answer_as_declared_is_taken_with_codes_and_columns_of_a_later_release():
    assert run_stats(json.dumps(WHOLE)) == WHOLE
    later = [{**QUERY, "spilled": 1}]
    assert read(queries=later, more=[1])["queries"] == later


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"filters": None}, "the answer has no list of filters"),
        ({"plans": {}}, "the answer has no list of plans"),
        ({"queries": [None]}, "queries has None, not a row"),
        ({"queries": [{"query_id": 18}]}, "queries lacks the column rows_written"),
        ({"queries": [{**QUERY, "query_id": None}]}, "queries.query_id is null"),
        ({"queries": [{**QUERY, "rows_written": 1.5}]}, "queries.rows_written is 1.5, not of type BIGINT"),
        ({"queries": [{**QUERY, "rows_written": True}]}, "queries.rows_written is True, not of type BIGINT"),
        ({"filters": [{**FILTER, "final_position": None}]}, "filters.final_position is null"),
        ({"filters": [{**FILTER, "cost_ns": float("nan")}]}, "filters.cost_ns is nan, not of type DOUBLE"),
        ({"filters": [{**FILTER, "shape": 5}]}, "filters.shape is 5, not of type STRING"),
        ({"filters": [{**FILTER, "may_throw": "no"}]}, "filters.may_throw is 'no', not of type BOOLEAN"),
        ({"dynamic": [{**DYNAMIC, "scan": ["t"]}]}, "dynamic.scan is ['t'], not of type STRING"),
        ({"dynamic": [{**DYNAMIC, "kept": float("inf")}]}, "dynamic.kept is inf, not of type DOUBLE"),
        (
            {"dynamic": [{**DYNAMIC, "verdict_figures": {"kept": "x"}}]},
            "dynamic.verdict_figures is {'kept': 'x'}, not of type MAP<STRING, DOUBLE>",
        ),
        ({"plans": [{**PLAN, "planned": "many"}]}, "plans.planned is 'many', not a number"),
        ({"plans": [{**PLAN, "kind": "reordered", "actual": "-1"}]}, "plans.actual is '-1', not a number"),
    ],
)
def test_a_row_of_another_form_is_refused_by_its_column(tables, sentence):
    with pytest.raises(ValueError) as error:
        read(**tables)
    assert str(error.value) == sentence


def test_an_answer_that_is_not_by_kind_is_refused():
    with pytest.raises(ValueError, match=r"the answer is \[1\], not rows by their kind"):
        run_stats("[1]")


def test_operators_are_words_in_a_change_of_a_join_alone():
    join = {**PLAN, "kind": "join", "planned": "SortMergeJoin", "actual": "BroadcastHashJoin"}
    assert read(plans=[join])["plans"] == [join]


def test_a_text_that_a_driver_has_cut_is_named():
    with pytest.raises(
        ValueError, match=r"the answer of 14 characters is no JSON.*DefaultStringColumnLength"
    ):
        run_stats('{"queries": [{')
