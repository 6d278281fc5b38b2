"""The report's view of a node."""

import json

import pytest
import shop
import shop_queries

from dbt.adapters.adaptive_spark.learned.evidence import from_text
from dbt.adapters.adaptive_spark.report.filter_view import GroupView
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


def test_what_failed_comes_first_then_the_slowest_with_its_share_of_the_slowest():
    found = [(each.anchor, each.name, each.bar) for each in views()[0]]
    assert found[:3] == [("n0", "fraud_signals", 23.2), ("n1", "daily_revenue", 100.0), ("n2", "forecast", 83.1)]  # fmt: skip
    assert found[-1] == ("n16", "fraud_cases", 0.0)


def test_kinds_and_chips():
    assert view("daily_revenue").kind == "model, incremental"
    assert view("countries").kind == "seed"
    assert view("late_orders").chips == [
        "1 filter reordered for speed",
        "2 scans filtered by joins",
        "row estimate 34 × too low",
    ]
    assert view("product_margins").chips == ["1 scan filtered by a join in vain"]
    assert view("orders").chips == ["9 columns without statistics"]
    assert view("countries").chips == []  # too small to matter


def test_failures_and_what_changed_most_sort_first():
    order = sorted(views()[0], key=lambda each: -each.happened)
    assert [each.name for each in order[:4]] == ["fraud_signals", "late_orders", "refunds", "daily_revenue"]  # fmt: skip


def test_a_filters_table():
    (learned,) = view("late_orders").filters
    assert learned.table == "shop.orders"
    assert learned.sentence == (
        "12,418,233 rows went in and 41,207 came out. 12,400 rows of these were measured. The order changed 9 times while the query ran."
    )
    first, *_, last = learned.conjuncts
    assert (first.place, first.written, first.text, first.selectivity, first.cost, first.rank) == (1, 4, "delay_days > 14", "3.1%", "21", "22")  # fmt: skip
    assert (first.selectivity_bar, first.cost_bar, first.may_throw) == (3.1, 2.3, False)
    assert (last.text, last.may_throw) == ("(CAST(amount AS INT) / items) > 10", True)


@pytest.mark.parametrize(
    ("reorderings", "moved", "sentence"),
    [
        (0, False, "No other order was clearly quicker, so the written one stayed."),
        (1, True, "The order changed once while the query ran."),
        (2, False, "The order changed 2 times and ended as written."),
        (
            0,
            True,
            "The query started in another order than the written one, which an earlier run, a hint or statistics gave, and kept it.",
        ),
    ],
)
def test_what_became_of_an_order(reorderings, moved, sentence):
    def change(files):
        rows = (("a > 1", 1, 0.5, 1.0), ("b > 1", 0, 0.5, 1.0))
        response(files, "refunds")["adaptive_filters"] = [
            shop_queries.filter_(10, 1, reorderings, *(rows if moved else rows[::-1]))
        ]

    assert view("refunds", change).filters[0].sentence.endswith(f" {sentence}")


def test_an_order_from_the_start_is_told_from_one_that_was_found():
    def change(files):
        response(files, "late_orders")["adaptive_filters"][0]["reorderings"] = 0

    assert view("late_orders", change).chips[0] == "1 filter reordered from the start"


def test_a_filter_over_an_ephemeral_model_is_of_that_model():
    def change(files):
        rows = (("(__dbt__cte__late.a > 1)", 0, 0.5, 1.0), ("(__dbt__cte__late.b > 1)", 1, 0.5, 1.0))
        response(files, "refunds")["adaptive_filters"] = [shop_queries.filter_(10, 1, 0, *rows)]

    found = view("refunds", change).filters[0]
    assert (found.table, [each.text for each in found.conjuncts]) == ("late", ["a > 1", "b > 1"])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (2, "The order changed 2 times and ended as written, apart from conditions that Spark adds."),
        (
            0,
            "No other order was clearly quicker, so the written one stayed, apart from conditions that Spark adds.",
        ),
    ],
)
def test_an_order_in_which_only_what_spark_adds_moved_is_the_written_one(changes, sentence):
    def change(files):
        rows = (("(k IS NOT NULL)", 2, 1.0, 1.0), ("a > 1", 0, 0.5, 1.0), ("b > 1", 1, 0.5, 1.0))
        response(files, "refunds")["adaptive_filters"] = [shop_queries.filter_(10, 1, changes, *rows)]

    found = view("refunds", change)
    assert found.filters[0].sentence.endswith(sentence)
    assert [each.added for each in found.filters[0].conjuncts] == ["null check", None, None]
    assert not any("order" in chip for chip in found.chips)


def test_what_met_no_rows_has_no_figures():
    few = view("weekly_cohorts").filters[1]
    assert few.sentence == "12 rows went in and 3 came out. These were too few to measure the conditions."
    assert [(each.selectivity, each.cost, each.rank) for each in few.conjuncts] == [("", "", ""), ("", "", "")]  # fmt: skip


def test_what_drops_no_row_decides_none():
    assert [each.rank for each in view("weekly_cohorts").filters[0].conjuncts] == ["1,550", "decides none"]


def drawn(rows):
    """The rows of a filter's table, indented as the page has them."""
    return [
        " " * row.depth + (row.operator if isinstance(row, GroupView) else f"{row.written} {row.text}")
        for row in rows
    ]


def test_conditions_stand_below_their_ands_and_ors():
    (nested,) = view("refunds").filters
    assert drawn(nested.rows) == [
        "5 day >= DATE '2026-11-01'",
        "OR",
        " AND",
        "  OR",
        "   4 region IN ('north', 'west')",
        "   3 amount < 0.00BD",
        "  2 note LIKE '%refund%'",
        " 1 status = 'refunded'",
    ]
    assert [each.rank for each in nested.conjuncts] == ["4.5", "46", "475", "147", "1,500"]


def test_an_and_or_an_or_stands_once_though_its_conditions_are_apart():
    def change(files):
        rows = [("a", 0, 0.5, 1.0, False, "OR 1"), ("b", 2, 0.5, 1.0), ("c", 1, 0.5, 1.0, False, "OR 1")]
        response(files, "refunds")["adaptive_filters"] = [shop_queries.filter_(10, 1, 1, *rows)]

    assert drawn(view("refunds", change).filters[0].rows) == ["OR", " 1 a", " 2 c", "3 b"]


def test_the_ands_and_ors_of_a_condition_that_moves_as_a_whole():
    *_, whole = view("fraud_signals").filters[0].rows
    assert whole.lines == [(0, "OR"), (1, "o.ip_country <> c.country"), (1, "o.attempts >= 3")]


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
    assert (first.scan, first.keys) == ("shop.orders", "orders.customer_id = customers.customer_id")
    assert first.words == "Filtered by the keys of the join. It kept about 6.1% of the rows."
    assert first.figures == [
        ("the other side of the join", "10,412 rows, 10,412 distinct keys", None),
        ("files were skipped by", "a list of keys, as 812 ranges", None),
        ("rows read", "1,204,551 of about 12.4 million (estimate)", 9.7),
        ("bytes read", "74.2 MB of 1.8 GB", 4.1),
        ("files read", "4 of 28", 14.3),
        ("row groups read (blocks of a file)", "11 of 96", 11.5),
        ("waited for the keys", "412 ms", None),
    ]
    assert (first.counts_bytes, second.counts_bytes) == (True, False)
    assert second.figures[:3] == [
        ("the other side of the join", "2,011,007 rows", None),
        ("files were skipped by", "1,024 ranges of keys", None),
        ("each row was checked by", "a bloom filter of the keys (lets a few others pass)", None),
    ]


def test_no_key_at_all():
    (scan,) = view("refunds").scans
    assert scan.figures[1:3] == [
        ("files were skipped by", "no key at all, so nothing was read", None),
        ("rows read", "0 of about 12.4 million (estimate)", 0.0),
    ]


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
    assert "shop.order_items" in view("late_orders").search
    assert "error" in view("fraud_signals").search


def test_a_node_that_the_manifest_lacks_goes_by_its_id():
    def change(files):
        del files["manifest.json"]["nodes"]["test.shop.unique_orders_order_id"]

    assert view("test.shop.unique_orders_order_id", change).kind == "test"
