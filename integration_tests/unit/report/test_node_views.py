"""What the report shows of a node."""

import json

import pytest
import shop
import shop_queries

from dbt.adapters.adaptive_spark.learned.evidence import from_text
from dbt.adapters.adaptive_spark.report.json_reader import Entry
from dbt.adapters.adaptive_spark.report.manifest import catalog, project
from dbt.adapters.adaptive_spark.report.node_views import filtered_scans, node_views
from dbt.adapters.adaptive_spark.report.run_results import run
from dbt.adapters.adaptive_spark.report.statistics_gaps import statistics_needed


def views(change=lambda files: None):
    files = shop.artifacts()
    change(files)
    of_project, of_run = project(Entry.of(files["manifest.json"])), run(Entry.of(files["run_results.json"]))
    tables = statistics_needed(of_project, of_run, catalog(Entry.of(files["catalog.json"])))
    return node_views(
        of_run.nodes, of_project.nodes, tables, from_text(json.dumps(files["adaptive_filters.json"]))
    )


def view(name, change=lambda files: None):
    return next(each for each in views(change)[0] if each.name == name)


def response(files, name):
    return next(
        each["adapter_response"]
        for each in files["run_results.json"]["results"]
        if each["unique_id"].endswith(f".{name}")
    )


def test_nodes_come_slowest_first_with_their_share_of_the_slowest():
    found = [(each.anchor, each.name, each.bar) for each in views()[0]]
    assert found[:2] == [("n0", "daily_revenue", 100.0), ("n1", "forecast", 83.1)]
    assert found[-1] == ("n16", "fraud_cases", 0.0)


def test_kinds_and_chips():
    assert view("daily_revenue").kind == "model, incremental"
    assert view("countries").kind == "seed"
    assert view("late_orders").chips == [
        "1 filter ran in another order",
        "2 scans filtered by joins",
        "200 partitions coalesced to 3",
        "1 row estimate off by more than 10 ×",
    ]
    assert view("product_margins").chips[0] == "1 scan filtered in vain"
    assert view("orders").chips == ["10 columns without statistics"]
    assert view("countries").chips == []  # too small to matter


def test_failures_and_what_changed_most_sort_first():
    order = sorted(views()[0], key=lambda each: -each.happened)
    assert [each.name for each in order[:4]] == ["fraud_signals", "late_orders", "daily_revenue", "refunds"]  # fmt: skip


def test_a_filters_table():
    (learned,) = view("late_orders").filters
    assert learned.table == "spark_catalog.shop.orders"
    assert learned.sentence == "Its order changed 9 times. 12,418,233 rows in, 41,207 out; 12,400 sampled."
    first, *_, last = learned.conjuncts
    assert (first.place, first.written, first.text, first.selectivity, first.cost, first.rank) == (1, 4, "delay_days > 14", "3.1%", "21", "22")  # fmt: skip
    assert (first.selectivity_bar, first.cost_bar, first.may_throw) == (3.1, 2.3, False)
    assert (last.text, last.may_throw) == ("(CAST(amount AS INT) / items) > 10", True)


@pytest.mark.parametrize(
    ("reorderings", "moved", "sentence"),
    [
        (0, False, "The written order stayed."),
        (1, True, "Its order changed once."),
        (2, False, "Its order changed 2 times and ended as written."),
        (0, True, "It started in another order than the written one and kept it."),
    ],
)
def test_what_became_of_an_order(reorderings, moved, sentence):
    def change(files):
        rows = (("a > 1", 1, 0.5, 1.0), ("b > 1", 0, 0.5, 1.0))
        response(files, "refunds")["adaptive_filters"] = [
            shop_queries.filter_(10, 1, reorderings, *(rows if moved else rows[::-1]))
        ]

    assert view("refunds", change).filters[0].sentence.startswith(sentence + " 10 rows in, 1 out")


def test_an_order_in_which_only_what_spark_adds_moved_is_the_written_one():
    def change(files):
        rows = (("(k IS NOT NULL)", 2, 1.0, 1.0), ("a > 1", 0, 0.5, 1.0), ("b > 1", 1, 0.5, 1.0))
        response(files, "refunds")["adaptive_filters"] = [shop_queries.filter_(10, 1, 2, *rows)]

    found = view("refunds", change)
    assert found.filters[0].sentence.startswith(
        "Its order changed 2 times and ended as written, but for what Spark adds."
    )
    assert [each.added for each in found.filters[0].conjuncts] == ["null check", None, None]
    assert not any("order" in chip for chip in found.chips)


def test_what_met_no_rows_has_no_figures():
    few = view("weekly_cohorts").filters[1]
    assert few.sentence == "It met too few rows to learn from. 12 rows in, 3 out."
    assert [(each.selectivity, each.cost, each.rank) for each in few.conjuncts] == [("", "", ""), ("", "", "")]  # fmt: skip


def test_what_drops_no_row_has_the_last_rank():
    assert [each.rank for each in view("weekly_cohorts").filters[0].conjuncts] == ["1,550", "last"]


def test_the_chart_of_a_filters_orders():
    found, charts = views()
    key = next(each for each in found if each.name == "fraud_signals").filters[0].chart
    chart = charts[key]
    assert (chart["runs"][0], chart["runs"][-1], len(chart["runs"])) == ("2026-11-13T05:00:02Z", "2026-11-22T05:00:02Z", 10)  # fmt: skip
    assert [(line["written"], line["places"]) for line in chart["lines"]] == [
        (1, [1, 1, 2, 3, 3, 3, 3, 3, 3, 3]),
        (2, [3, 3, 3, 2, 2, 1, 1, 1, 1, 1]),
        (3, [2, 2, 1, 1, 1, 2, 2, 2, 2, 2]),
    ]
    assert view("weekly_cohorts").filters[0].chart is None


def test_a_single_run_is_no_chart():
    def change(files):
        for of in files["adaptive_filters.json"]["nodes"].values():
            of["orders"][0]["runs"] = dict([*of["orders"][0]["runs"].items()][:1])

    assert views(change)[1] == {}


def test_a_scan():
    first, second = view("late_orders").scans
    assert first.words == "Filtered."
    assert first.figures == [
        ("build side", "10,412 rows, 10,412 keys", None),
        ("given to the scan", "a list of keys, 812 ranges", None),
        ("rows read", "1,204,551 of 12,418,233", 9.7),
        ("bytes read", "74.2 MB of 1.8 GB", 4.1),
        ("row groups read", "11 of 96", 11.5),
        ("wait for keys", "412 ms", None),
    ]
    assert second.figures[:3] == [
        ("build side", "2,011,007 rows", None),
        ("given to the scan", "ranges of keys, 1,024 ranges", None),
        ("each row tested by", "a bloom filter of keys", None),
    ]


def test_no_key_at_all():
    (scan,) = view("refunds").scans
    assert scan.figures[1:3] == [("given to the scan", "no key at all", None), ("rows read", "0 of 12,418,233", 0.0)]  # fmt: skip


def test_a_scan_with_two_filters_counts_once():
    files = shop.artifacts()
    response(files, "refunds")["dynamic_filters"] *= 2
    node = next(each for each in run(Entry.of(files["run_results.json"])).nodes if each.unique_id.endswith("refunds"))  # fmt: skip
    assert len(filtered_scans(node)) == 1


def test_very_much_is_bounded():
    def change(files):
        rows = [(f"(a{at} > '{'x' * 500}')", at, 0.5, 1.0) for at in range(100)]
        response(files, "refunds")["adaptive_filters"] = [shop_queries.filter_(10, 1, 1, *rows)] * 30
        response(files, "refunds")["dynamic_filters"] *= 30

    found = view("refunds", change)
    assert (len(found.filters), len(found.scans), found.more) == (20, 20, 20)
    assert (len(found.filters[0].conjuncts), found.filters[0].more) == (60, 40)
    assert len(found.filters[0].conjuncts[0].text) == 400


def test_what_the_search_looks_through():
    assert "model.shop.late_orders" in view("late_orders").search
    assert "delay_days > 14" in view("late_orders").search
    assert "spark_catalog.shop.order_items" in view("late_orders").search
    assert "error" in view("fraud_signals").search


def test_a_node_that_the_manifest_lacks_goes_by_its_id():
    def change(files):
        del files["manifest.json"]["nodes"]["test.shop.unique_orders_order_id"]

    assert view("test.shop.unique_orders_order_id", change).kind == "test"
