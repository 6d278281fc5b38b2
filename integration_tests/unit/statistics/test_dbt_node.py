"""Which of dbt's nodes are in the graph, and what their readers see of them."""

from dbt.adapters.adaptive_spark.statistics.dbt_node import DbtNode, node_graph


def node(name, kind="model", materialized="table", language="sql", sql="select 1 as n", parents=("source",)):
    path = f"models/{name}"
    return DbtNode(name, path, kind, materialized, language, (("shop", name),), lambda: [sql], tuple(parents))


SOURCE = node("source", kind="source", materialized="", parents=())


def needed(*nodes):
    found = node_graph([SOURCE, *nodes]).needed("source", ["id", "day"])
    return sorted(found.columns), dict(found.unread)


def test_what_reads_a_table_and_is_none_does_not_count():
    sql = "select * from shop.source where day > 1"
    assert needed(node("read", sql=sql)) == (["day"], {})
    assert needed(node("tested", kind="test", sql=sql)) == ([], {})


def test_a_view_hands_its_columns_on_and_a_snapshot_of_that_name_does_not():
    reader = node("reader", sql="select 1 from shop.step where n > 1", parents=["step"])
    for kind, materialized, used in (
        ("model", "view", ["id"]),
        ("model", "ephemeral", ["id"]),
        ("model", "table", []),
        ("snapshot", "view", []),
    ):
        step = node("step", kind, materialized, sql="select id as n from shop.source")
        assert needed(step, reader) == (used, {})


def test_a_model_in_python_is_not_read():
    python = node("script", language="python", sql="not asked")
    assert needed(python) == ([], {"models/script": "it is written in python"})
