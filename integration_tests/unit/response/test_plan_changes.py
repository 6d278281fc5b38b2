"""What adaptive execution changed, as a model's author reads it."""

from dbt.adapters.adaptive_spark.response.plan_changes import advice, plan_changes, sentences, summary

CHANGES = [
    (7, "coalesced", 0, "Exchange", "shop.orders", "200", "3"),
    (7, "coalesced", 1, "Exchange", "shop.days", "200", "1"),
    (7, "split", 2, "Exchange", "shop.orders", "1", "5"),
    (7, "join", None, "BroadcastHashJoin", "shop.orders, shop.days", "SortMergeJoin", "BroadcastHashJoin"),
    (8, "join", None, "ShuffledHashJoin", "shop.a, shop.b", "SortMergeJoin", "ShuffledHashJoin"),
    (8, "rows", 0, "Filter", "shop.days", "120000", "365"),
]
COLUMNS = ("query_id", "kind", "stage", "node", "tables", "planned", "actual")
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


def test_the_pages_few_words():
    assert summary(plan_changes(ROWS)) == [
        "1 join became BroadcastHashJoin",
        "1 join became ShuffledHashJoin",
        "400 partitions coalesced to 4",
        "1 skewed partition split into 5",
        "1 row estimate off by more than 10 ×",
    ]
    assert summary(plan_changes([])) == []


def test_which_table_the_planner_was_wrong_about():
    assert advice(plan_changes(ROWS)) == ["Spark expected 120,000 rows from shop.days and got 365."]


def test_a_sentence_for_each_change():
    assert sentences(plan_changes(ROWS)) == [
        "Spark planned a SortMergeJoin of shop.orders, shop.days and ran a BroadcastHashJoin.",
        "Spark planned a SortMergeJoin of shop.a, shop.b and ran a ShuffledHashJoin.",
        "Spark expected 120,000 rows from shop.days and got 365.",
        "1 skewed partition in a shuffle of shop.orders became 5.",
        "200 partitions in a shuffle of shop.orders became 3.",
        "200 partitions in a shuffle of shop.days became 1.",
    ]


def test_rows_of_no_table_are_those_of_the_sql():
    change = {"tables": "", "planned": 9, "actual": 120_000}
    assert sentences({"rows": [change]}) == ["Spark expected 9 rows from values in the SQL and got 120,000."]
