"""dbt's run_results.json as a run: this adapter's, another's, an older release's, and none."""

import copy
import math
from datetime import datetime, timezone

import pytest
import shop
import shop_queries

from dbt.adapters.adaptive_spark.report.json_reader import Entry, ShapeError
from dbt.adapters.adaptive_spark.report.run_results import Conjunct, run


def read(content):
    return run(Entry.of(content))


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("dbt build --vars {key: s3cret, day: -1} --target prod", "dbt build --vars … --target prod"),
        ("dbt build --vars={key: s3cret}", "dbt build --vars …"),
        ("dbt build --vars {note: see --full-refresh, key: s3cret} -s x", "dbt build --vars … -s x"),
        ("dbt build --vars {note: '} --target', key: s3cret} -s x", "dbt build --vars … -s x"),
        ("dbt build --vars {key: s3cret --target prod", "dbt build --vars …"),
        ("dbt build --vars key: s3cret --target prod", "dbt build --vars …"),
        ("dbt build --target prod", "dbt build --target prod"),
    ],
)
def test_values_of_vars_are_left_out(command, shown):
    content = shop.run_results()
    content["args"]["invocation_command"] = command
    assert read(content).command == shown


def result(response, **more):
    base = {"unique_id": "model.shop.a", "status": "success", "execution_time": 1.5}
    return {**shop.run_results(), "results": [{**base, "adapter_response": response, **more}]}


def test_the_run():
    found = read(shop.run_results())
    assert (found.which, found.command, found.dbt_version) == ("build", "dbt build --target prod", "1.11.16")
    assert found.began == shop.BEGAN
    assert len(found.nodes) == 17
    assert found.is_told


def test_a_node_with_its_filter_joins_and_plans():
    node = next(each for each in read(shop.run_results()).nodes if each.unique_id == "model.shop.late_orders")
    assert (node.seconds, node.rows, node.status, node.has_failed) == (33.1, 41_207, "success", False)
    (learned,) = node.filters
    assert (learned.rows_in, learned.rows_out, learned.reorderings, learned.is_reordered) == (12_418_233, 41_207, 9, True)  # fmt: skip
    assert learned.conjuncts[0] == Conjunct("(spark_catalog.shop.orders.delay_days > 14)", 3, 0, 12_400, 0.031, 21.4, False, "orders: (delay_days > ?)")  # fmt: skip
    assert learned.conjuncts[4].may_throw
    assert learned.written[1] == "orders: RLIKE(note, ?)"
    assert [each.is_filtered for each in node.dynamic] == [True, True]
    assert (node.dynamic[0].rows_total, node.dynamic[0].row_groups_read) == (12_418_233, 11)
    assert node.changes["rows"][0]["actual"] == 10_412


@pytest.mark.parametrize(
    ("selectivity", "cost", "branch", "rank"),
    [
        (0.5, 10.0, (), 20.0),
        (1.0, 3.0, (), math.inf),
        (None, None, (), None),
        (0.2, 10.0, ("OR 1",), 50.0),
        (0.2, 10.0, ("OR 1", "AND 2"), 12.5),
        (0.0, 3.0, ("OR 1", "AND 2", "OR 3"), math.inf),
    ],
)
def test_the_rank_is_what_a_row_costs_that_the_predicate_decides(selectivity, cost, branch, rank):
    assert Conjunct("a", 0, 0, 1, selectivity, cost, False, branch=branch).rank == rank


def test_the_ands_and_ors_above_a_predicate():
    node = next(each for each in read(shop.run_results()).nodes if each.unique_id == "model.shop.refunds")
    assert [each.branch for each in node.filters[0].conjuncts] == [
        (),
        ("OR 1", "AND 2", "OR 3"),
        ("OR 1", "AND 2", "OR 3"),
        ("OR 1", "AND 2"),
        ("OR 1",),
    ]


def test_conjuncts_are_sorted_by_their_final_place():
    learned = copy.deepcopy(shop_queries.LATE)
    learned["conjuncts"].reverse()
    (node,) = read(result({"adaptive_filters": [learned]})).nodes
    assert [each.place for each in node.filters[0].conjuncts] == [0, 1, 2, 3, 4]


def test_another_adapters_response_tells_nothing():
    found = read(result({"rows_affected": "12", "bytes_processed": 7, "dynamic_filters": "another meaning"}))
    assert (found.nodes[0].rows, found.nodes[0].is_told, found.is_told) == (None, False, False)
    assert read(result({"rows_affected": -1})).nodes[0].rows is None


def test_an_earlier_releases_response_has_less_in_it():
    (node,) = read(result({"adaptive_filters": [], "dynamic_filters": [{"verdict": "filtered"}]})).nodes
    assert node.is_told
    assert (node.dynamic[0].scan, node.dynamic[0].kept, node.changes) == ("", None, {})


def test_a_skipped_node_has_no_times():
    (node,) = read(result({}, timing=[], thread_id=None, message=None)).nodes
    assert (node.began, node.ended, node.thread) == (None, None, "")


@pytest.mark.parametrize(
    ("fraction", "microseconds"), [("", 0), (".5", 500_000), (".123456", 123_456), (".1234567890", 123_456)]
)
def test_a_seconds_fraction_has_any_number_of_digits(fraction, microseconds):
    (node,) = read(result({}, timing=[{"started_at": f"2026-01-02T03:04:05{fraction}Z", "completed_at": "2026-01-02T03:04:06Z"}])).nodes  # fmt: skip
    assert node.began == datetime(2026, 1, 2, 3, 4, 5, microseconds, tzinfo=timezone.utc)


def test_times_without_a_zone_are_utc():
    (node,) = read(result({}, timing=[{"started_at": "2026-01-02T03:04:05.500000", "completed_at": "2026-01-02T05:04:06+02:00"}])).nodes  # fmt: skip
    assert node.began == datetime(2026, 1, 2, 3, 4, 5, 500_000, tzinfo=timezone.utc)
    assert node.ended == datetime(2026, 1, 2, 3, 4, 6, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "metadata.generated_at is missing"),
        ({**shop.run_results(), "results": {}}, "results is {}, not a list"),
        ({**shop.run_results(), "elapsed_time": None}, "elapsed_time is missing"),
        (result({}, status=7), "results[0].status is 7, not a text"),
        (result({}, timing=[{"started_at": "noon"}]), "results[0].timing[0].started_at is 'noon', not a time"),
        (result({"adaptive_filters": [{"rows_in": 1}]}), "results[0].adapter_response.adaptive_filters[0].rows_out is missing"),
        (result({"adaptive_filters": [], "aqe": {"rows": [{"planned": "9"}]}}), "results[0].adapter_response.aqe.rows[0].planned is '9', not a count"),
        (result({"adaptive_filters": [], "aqe": {"join": [{"planned": 9}]}}), "results[0].adapter_response.aqe.join[0].planned is 9, not a text"),
    ],
)  # fmt: skip
def test_another_shape_is_named(content, message):
    with pytest.raises(ShapeError) as error:
        read(content)
    assert str(error.value) == message
