"""Changes by adaptive execution, as a model's author reads them."""

import pytest

from dbt.adapters.adaptive_spark.response.plan_changes import (
    advice,
    chips,
    factor,
    plan_changes,
    sentences,
    statistics_words,
    summary,
)

CHANGES = [
    (7, "coalesced", 0, "Exchange", "shop.orders", "200", "3", None),
    (7, "coalesced", 1, "Exchange", "shop.days", "200", "1", None),
    (7, "split", 2, "Exchange", "shop.orders", "1", "5", None),
    (
        7,
        "join",
        None,
        "BroadcastHashJoin",
        "shop.orders, shop.days",
        "SortMergeJoin",
        "BroadcastHashJoin",
        None,
    ),
    (8, "join", None, "ShuffledHashJoin", "shop.a, shop.b", "SortMergeJoin", "ShuffledHashJoin", None),
    (8, "rows", 0, "Filter", "shop.days", "120000", "365", "shop.days"),
]
COLUMNS = ("query_id", "kind", "stage", "node", "tables", "planned", "actual", "statistics")
ROWS = [dict(zip(COLUMNS, change, strict=True)) for change in CHANGES]


def test_changes_by_kind():
    changes = plan_changes(ROWS)
    assert changes["coalesced"][0] == {
        "stage": 0,
        "node": "Exchange",
        "tables": "shop.orders",
        "planned": 200,
        "actual": 3,
    }
    assert changes["join"][0] == {
        "node": "BroadcastHashJoin",
        "tables": "shop.orders, shop.days",
        "planned": "SortMergeJoin",
        "actual": "BroadcastHashJoin",
    }
    assert {kind: len(each) for kind, each in changes.items()} == {
        "coalesced": 2,
        "split": 1,
        "join": 2,
        "rows": 1,
    }


def test_a_wrong_estimate_names_the_tables_whose_statistics_may_mend_it():
    (row,) = (each for each in ROWS if each["kind"] == "rows")
    assert plan_changes([row])["rows"][0]["statistics"] == "shop.days"
    above_a_window = {**row, "statistics": ""}
    assert plan_changes([above_a_window])["rows"][0]["statistics"] == ""


def test_statistics_are_no_remedy_of_what_a_limit_or_a_window_left():
    of = {"tables": "shop.orders", "planned": 300_000, "actual": 1_954}
    assert statistics_words({"rows": [{**of, "statistics": ""}]}) == []
    assert statistics_words({"rows": [{**of, "statistics": "shop.orders"}]}) == [
        "statistics of orders may help (Spark estimated 300,000 rows and counted 1,954)"
    ]


def test_statistics_of_one_of_several_tables_are_left_to_the_report():
    of = {"tables": "shop.orders, shop.days", "planned": 300_000, "actual": 1_954}
    assert statistics_words({"rows": [{**of, "statistics": "shop.days"}]}) == []


def test_the_pages_few_words():
    assert summary(plan_changes(ROWS)) == [
        "1 join became a broadcast join",
        "1 join became a shuffled hash join",
        "1 oversized partition split into 5",
        "400 partitions merged into 4",
    ]
    assert summary(plan_changes([])) == []


def test_a_models_few_words_leave_out_merged_partitions_and_have_its_estimates():
    changes = plan_changes(ROWS)
    assert chips(changes) == [
        "1 join became a broadcast join",
        "1 join became a shuffled hash join",
        "1 oversized partition split into 5",
        "row estimate 329 × too high",
    ]
    changes["rows"] *= 2
    assert chips(changes)[-1] == "2 row estimates more than 10 × wrong"
    assert chips(plan_changes([])) == []


def test_joins_of_a_kind_are_counted():
    changes = {"join": [{"planned": "SortMergeJoin", "actual": "BroadcastHashJoin"}] * 2}
    assert summary(changes) == ["2 joins became broadcast joins"]


@pytest.mark.parametrize(
    ("planned", "actual", "words"),
    [
        (120_000, 365, "329 × too high"),
        (310, 10_412, "34 × too low"),
        (0, 1_000_000, "1,000,000 × too low"),
        (10**400, 3, "more than 1,000,000 × too high"),
        (99, 0, "99 × too high"),
    ],
)
def test_how_wrong_an_estimate_was(planned, actual, words):
    assert factor(planned, actual) == words


def test_an_estimate_and_a_count_are_told_apart():
    assert advice(plan_changes(ROWS)) == [
        "Before the query ran, Spark estimated 120,000 rows from shop.days. While it ran, 365 were counted, so the estimate was 329 × too high."
    ]


def test_a_sentence_for_each_change():
    assert sentences(plan_changes(ROWS)) == [
        "Spark planned a sort-merge join of shop.orders and shop.days, and switched to a broadcast join while the query ran.",
        "Spark planned a sort-merge join of shop.a and shop.b, and switched to a shuffled hash join while the query ran.",
        "Before the query ran, Spark estimated 120,000 rows from shop.days. While it ran, 365 were counted, so the estimate was 329 × too high.",
        "1 oversized partition in a shuffle of shop.orders was split into 5.",
        "200 partitions in a shuffle of shop.orders were merged into 3, as they held little data.",
        "200 partitions in a shuffle of shop.days were merged into 1, as they held little data.",
    ]


def test_rows_of_no_table_are_those_of_the_sql():
    change = {"tables": "", "planned": 9, "actual": 120_000}
    assert sentences({"rows": [change]})[0].startswith(
        "Before the query ran, Spark estimated 9 rows from values in the SQL."
    )


def misjudged(*tables):
    return statistics_words({"rows": [{"tables": each, "planned": 310, "actual": 10_412} for each in tables]})


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ([], []),
        (["c.shop.orders"], ["statistics of orders may help (Spark estimated 310 rows and counted 10,412)"]),
        (
            ["c.shop.orders", "shop.days", "c.shop.orders"],
            ["statistics of days and orders may help (Spark's estimates of their rows were more than 10 × wrong)"],
        ),
        (
            ["s.a", "s.b", "s.c", "s.d", "s.e"],
            ["statistics of a, b, c and 2 more may help (Spark's estimates of their rows were more than 10 × wrong)"],
        ),
        (["c.shop.orders, c.shop.days", "file:/data/days.parquet", ""], []),
    ],
)  # fmt: skip
def test_the_console_names_tables_of_which_statistics_may_help(tables, words):
    assert misjudged(*tables) == words
