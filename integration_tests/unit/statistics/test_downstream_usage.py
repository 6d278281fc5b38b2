"""Columns that a project's models use of a table, however many views stand between."""

from itertools import pairwise

from dbt.adapters.adaptive_spark.statistics.column_usage import UnreadSqlError
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Graph, GraphNode


def node(name, sql="", parents=(), inlined=False, keys=()):
    texts = sql if callable(sql) else lambda: [sql]
    return GraphNode(
        name, f"models/{name}.sql", (("shop", name),), texts, inlined, tuple(parents), tuple(keys)
    )


def needed(*nodes, of="orders", columns=("id", "day", "status", "amount")):
    found = Graph([node("orders"), *nodes]).needed(of, columns)
    assert Graph([node("orders"), *nodes]).needed_of_all({of: columns}) == {of: found}
    return sorted(found.columns), dict(found.unread)


def test_direct_readers_add_up():
    late = node("late", "select * from shop.orders where status = 'late'", ["orders"])
    daily = node("daily", "select day, sum(amount) from shop.orders group by day", ["orders"])
    assert needed(late, daily) == (["day", "status"], {})


def test_a_table_in_between_ends_it_and_a_view_does_not():
    sql = "select id as key, day as d, amount from shop.orders"
    reader = node("reader", "select * from shop.mid where d > 1 and key = 2", ["mid"])
    assert needed(node("mid", sql, ["orders"], inlined=True), reader) == (["day", "id"], {})
    assert needed(node("mid", sql, ["orders"]), reader) == ([], {})


def test_views_are_read_before_what_reads_them_whatever_the_order():
    top = node("top", "select * from shop.a join shop.b on a.x = b.y", ["a", "b"])
    b = node("b", "select x as y from shop.a where z = 1", ["a"], inlined=True)
    a = node("a", "select id as x, day as z from shop.orders", ["orders"], inlined=True)
    for order in ([top, b, a], [a, b, top], [b, top, a]):
        assert needed(*order) == (["day", "id"], {})


def test_a_chain_of_a_thousand_views():
    names = ["orders", *(f"v{i}" for i in range(1000))]
    views = [
        node(name, f"select * from shop.{before}", [before], inlined=True) for before, name in pairwise(names)
    ]
    assert needed(*views, node("last", "select 1 from shop.v999 where day = 1", ["v999"])) == (["day"], {})


def test_what_can_not_be_read_is_named_and_the_rest_counts():
    def python():
        raise UnreadSqlError("it is written in python")

    broken = node("broken", "select from where", ["orders"])
    script = node("script", python, ["orders"])
    good = node("good", "select 1 from shop.orders where id = 1", ["orders"])
    columns, unread = needed(broken, script, good)
    assert columns == ["id"]
    assert unread == {
        "models/broken.sql": "its SQL is not understood in line 1",
        "models/script.sql": "it is written in python",
    }


def test_what_is_read_of_a_model_that_may_use_more_counts_too():
    half = GraphNode(
        "half",
        "models/half.sql",
        (("shop", "half"),),
        lambda: ["select * from shop.orders where day > 1"],
        is_inlined=False,
        parents=("orders",),
        doubt=lambda: "its Jinja needs to run",
    )
    assert needed(half) == (["day"], {"models/half.sql": "its Jinja needs to run"})


def test_both_texts_of_an_incremental_model_count():
    texts = [
        "select id from shop.orders",
        "select id from shop.orders where day > (select max(day) from shop.this)",
    ]
    assert needed(node("this", lambda: texts, ["orders"])) == (["day"], {})


def test_a_snapshots_key_is_joined_on():
    assert needed(node("history", "select * from shop.orders", ["orders"], keys=["ID"])) == (["id"], {})


def test_what_any_reader_filters_is_filtered():
    by_day = node("by_day", "select day, status from shop.orders group by all", ["orders"])
    late = node("late", "select * from shop.orders where day > 1", ["orders"])
    history = node("history", "select * from shop.orders", ["orders"], keys=["id"])
    found = Graph([node("orders"), by_day, late, history]).needed("orders", ["id", "day", "status", "amount"])
    assert found.filtered == {"day"}
    assert found.keyed == {"id", "day", "status"}
    assert found.columns == {"id", "day", "status"}


def test_a_node_is_rendered_once():
    calls = []
    reader = node("reader", lambda: calls.append(1) or ["select 1 from shop.orders where id = 1"], ["orders"])
    graph = Graph([node("orders"), reader])
    assert [sorted(graph.needed("orders", columns).columns) for columns in (["id"], ["day"])] == [["id"], []]
    assert calls == [1]


def test_names_with_a_catalog_are_the_same_table_and_bare_ones_are_not():
    reader = node("reader", "select 1 from spark_catalog.shop.orders where id = 1", ["orders"])
    bare = node("bare", "select 1 from orders where day = 1", ["orders"])
    assert needed(reader, bare) == (["id"], {})


def test_a_column_of_another_table_with_the_same_name_does_not_count():
    reader = node(
        "reader", "select 1 from shop.orders o join shop.days d on o.id = d.id where d.day = 1", ["orders"]
    )
    assert needed(reader) == (["id"], {})


def test_many_tables_at_once_are_as_each_alone_and_each_text_is_read_once():
    calls = []

    def text(name, sql):
        return lambda: calls.append(name) or [sql]

    nodes = [
        node("orders"),
        node("items"),
        node("v", text("v", "select o.id as k, i.day as d from shop.orders o join shop.items i on o.id = i.id"), ["orders", "items"], inlined=True),
        node("sums", text("sums", "select d, sum(k) as n from shop.v where k > 1 group by d"), ["v"]),
        node("last", text("last", "select * from shop.sums where n > 2 union select id, day from shop.items where status = 1"), ["sums", "items"]),
        node("broken", text("broken", "select from"), ["v"]),
    ]  # fmt: skip
    tables = {"orders": ["ID", "day"], "items": ["id", "day", "status"], "sums": ["d", "n"]}
    graph = Graph(nodes)
    alone = {name: graph.needed(name, columns) for name, columns in tables.items()}
    calls.clear()
    found = Graph(nodes).needed_of_all(tables)
    assert found == alone
    assert {name: " ".join(sorted(each.columns)) for name, each in found.items()} == {
        "orders": "id",
        "items": "day id status",
        "sums": "d n",
    }
    assert [*found["orders"].unread] == [*found["items"].unread] == ["models/broken.sql"]
    assert found["sums"].unread == {}
    assert sorted(calls) == ["broken", "last", "sums", "v"]


def test_what_a_table_reads_of_itself_is_not_downstream():
    sql = "select id from shop.orders where id not in (select id from shop.days)"
    graph = Graph([node("orders"), node("days", sql, ["orders"])])
    found = graph.needed_of_all({"orders": ["id"], "days": ["id"]})
    assert {name: each.columns for name, each in found.items()} == {
        "orders": frozenset({"id"}),
        "days": frozenset(),
    }


def test_tables_of_one_name_in_two_catalogs_are_two():
    texts = {
        "here": "select 1 from shop.orders where id = 1",
        "there": "select 1 from lake.shop.orders where day = 1",
    }
    readers = [node(name, sql, ["orders", "lake"]) for name, sql in texts.items()]
    lake = GraphNode("lake", "models/lake.sql", (("lake", "shop", "orders"),), lambda: [""], False)
    columns = ["id", "day"]
    graph = Graph([node("orders"), lake, *readers])
    found = graph.needed_of_all({"orders": columns, "lake": columns})
    assert {name: sorted(each.columns) for name, each in found.items()} == {"orders": ["id"], "lake": ["day"]}
