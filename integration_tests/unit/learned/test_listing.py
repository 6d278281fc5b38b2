"""The list of each node's filters, in the order in which its predicates cost least."""

import json

from dbt.adapters.adaptive_spark.learned.evidence import Evidence, JoinMemory, NodeMemory
from dbt.adapters.adaptive_spark.learned.listing import as_json, as_table

NODES = {
    "model.shop.b": NodeMemory(
        {"t: (a > ?)": Evidence(1000, 900, 10_000), "t: s LIKE ?": Evidence(1000, 10, 50_000)}
    ),
    "model.shop.a": NodeMemory({}, joins={"id in keys of k": JoinMemory(997, 2)}),
}


def test_the_table():
    assert as_table(NODES).splitlines() == [
        "model.shop.a",
        "   99.7% of rows kept by a join, left out of 2 runs since: id in keys of k",
        "model.shop.b",
        "  passes  ns/row        rows  predicate",
        "    1.0%      50       1,000  t: s LIKE ?",
        "   90.0%      10       1,000  t: (a > ?)",
    ]


def test_json():
    told = json.loads(as_json(NODES))
    assert list(told) == ["model.shop.a", "model.shop.b"]
    assert told["model.shop.b"]["predicates"][0] == {
        "shape": "t: s LIKE ?",
        "selectivity": 0.01,
        "cost_ns": 50.0,
        "rows_monitored": 1000,
    }
    assert told["model.shop.a"]["joins"] == [{"signature": "id in keys of k", "kept": 0.997, "left_out": 2}]


def test_what_met_no_row_comes_last_and_few_rows_do_not_say_that_all_pass():
    node = NodeMemory(
        {"none": Evidence(0, 0, 0), "dear": Evidence(10, 5, 90_000), "cheap": Evidence(10, 10, 1)}
    )
    lines = as_table({"n": node}).splitlines()
    assert [line.split()[-1] for line in lines[2:]] == ["cheap", "dear", "none"]


def test_nothing_yet():
    assert as_table({}).startswith("Nothing has been learned yet")
    assert as_json({}) == "{}"


def test_a_long_text_is_cut():
    assert as_table({"n": NodeMemory({"x" * 300: Evidence(1, 1, 1)})}).endswith("x" * 99 + "…")


def test_one_run_is_no_plural():
    once = {"model.shop.a": NodeMemory({}, joins={"id in keys of k": JoinMemory(997, 1)})}
    assert "left out of 1 run since" in as_table(once)


def test_names_that_nobody_wrote_are_left_out_of_the_table_alone():
    shape = "__auto_generated_subquery_name: (a > ?)"
    nodes = {"model.shop.b": NodeMemory({shape: Evidence(1000, 900, 10_000)})}
    assert as_table(nodes).splitlines()[-1] == "   90.0%      10       1,000  (a > ?)"
    assert json.loads(as_json(nodes))["model.shop.b"]["predicates"][0]["shape"] == shape
