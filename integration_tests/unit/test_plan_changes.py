"""What adaptive execution changed, as a model's author reads it."""

from dbt.adapters.adaptive_spark.plan_changes import advice, plan_changes, sentences, summary

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


def test_the_consoles_few_words():
    assert summary(plan_changes(ROWS)) == [
        "1 join became BroadcastHashJoin",
        "1 join became ShuffledHashJoin",
        "400 partitions coalesced to 4",
        "1 skewed partition split into 5",
        "1 estimate of rows off by more than 10 ×",
    ]
    assert summary(plan_changes([])) == []


def test_which_table_the_planner_was_wrong_about():
    assert advice(plan_changes(ROWS)) == [
        "shop.days: 365 rows where Spark's planner expected 120,000 (Filter)"
    ]


def test_a_sentence_for_each_change():
    assert sentences(plan_changes(ROWS)) == [
        "BroadcastHashJoin instead of SortMergeJoin joined shop.orders, shop.days.",
        "ShuffledHashJoin instead of SortMergeJoin joined shop.a, shop.b.",
        "shop.days: 365 rows came out of Filter where 120,000 were expected.",
        "shop.orders: 1 skewed partition of a shuffle became 5.",
        "shop.orders: 200 partitions of a shuffle were coalesced to 3.",
        "shop.days: 200 partitions of a shuffle were coalesced to 1.",
    ]
