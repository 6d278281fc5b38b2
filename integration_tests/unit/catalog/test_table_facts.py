"""Tables as the metastore describes them, and what dbt's docs show of them."""

from decimal import Decimal

from dbt.adapters.adaptive_spark.catalog.docs_catalog import catalog_table
from dbt.adapters.adaptive_spark.catalog.table_facts import tables, tables_sql


def row(table, index, column, distinct=None, nulls=None, low=None, high=None, size=None, rows=None, **other):
    head = (
        "shop",
        table,
        other.get("kind", "table"),
        other.get("provider", "parquet"),
        "me",
        "A comment.",
        size,
        rows,
        other.get("rows_sample"),
    )
    return (*head, index, column, "int", None, distinct, nulls, low, high, False, other.get("sample"))


ROWS = [
    row("orders", 1, "day", size=Decimal(2048), rows=Decimal(1204)),
    row("days", 0, "day"),
    row("orders", 0, "id", Decimal(1200), Decimal(1), "1", "1300", size=Decimal(2048), rows=Decimal(1204)),
]


def test_rows_become_tables_with_their_columns_in_order():
    days, orders = tables(ROWS)
    assert (days.name, orders.name, orders.rows, orders.size, days.rows) == (
        "days",
        "orders",
        1204,
        2048,
        None,
    )
    assert [(each.name, each.distinct, each.has_statistics) for each in orders.columns] == [
        ("id", 1200, True),
        ("day", None, False),
    ]
    assert type(orders.rows) is int


def test_a_count_that_analyze_did_not_make_is_not_shown():
    (table,) = tables([row("orders", 0, "id", size=Decimal(10), rows=Decimal(7))])
    assert not table.is_analyzed
    assert "stats:rows:value" not in catalog_table([table]).column_names


def test_formats_that_keep_statistics_elsewhere():
    (delta,) = tables([row("orders", 0, "id", provider="DELTA")])
    (view,) = tables([row("orders", 0, "id", provider=None, kind="view")])
    (hive,) = tables([row("orders", 0, "id", provider="hive")])
    assert (delta.is_foreign, view.is_foreign, hive.is_foreign, view.is_view) == (True, False, False, True)


def test_names_are_quoted():
    assert tables_sql("a'b").endswith("from adaptive_catalog(cast(X'612762' as string))")
    assert tables_sql("shop", "orders").endswith("from adaptive_catalog('shop', 'orders')")


def test_the_catalog_has_a_row_a_column_and_statistics_once_a_table():
    shown = [dict(each) for each in catalog_table(tables(ROWS)).rows]
    assert [(each["table_name"], each["column_name"], each["column_index"]) for each in shown] == [
        ("days", "day", 0),
        ("orders", "id", 0),
        ("orders", "day", 1),
    ]
    assert shown[1]["stats:rows:value"] == 1204
    assert shown[1]["stats:bytes:value"] == 2048
    assert shown[1]["stats:column_0:label"] == "id"
    assert shown[1]["stats:column_0:value"] == "about 1,200 distinct, 1 null, from 1 to 1300"
    assert shown[0]["stats:rows:value"] is shown[2]["stats:rows:value"] is None
    assert shown[1]["table_comment"] == "A comment."


def test_what_a_sample_estimated_is_marked_in_the_catalog():
    column = ("orders", 0, "id", Decimal(1200), Decimal(3), "1", "1300")
    facts = {"size": Decimal(2048), "rows": Decimal(12345678), "sample": 0.1}
    (estimated,) = catalog_table(tables([row(*column, rows_sample=0.0075, **facts)])).rows
    assert (estimated["stats:rows:label"], estimated["stats:rows:value"]) == (
        "≈ rows (estimated from 0.75 %)",
        12345678,
    )
    assert estimated["stats:rows:description"] == (
        "≈ 12,345,678 (estimated from 0.75 % of rows), when the table was last analyzed"
    )
    assert estimated["stats:column_0:value"] == (
        "about 1,200 distinct, ≈ 3 nulls, from 1 to 1300 (estimated from 10 % of rows)"
    )
    (known,) = catalog_table(tables([row(*column, **facts)])).rows
    assert (known["stats:rows:label"], known["stats:rows:value"]) == ("rows", 12345678)


def test_columns_that_are_analyzed_are_numbered_and_not_by_their_place():
    wide = [row("wide", at, f"c{at}", *([Decimal(3)] if at in (7, 90) else [])) for at in range(100)]
    shown = catalog_table(tables([*wide, row("na", 0, "null", Decimal(9))]))
    assert [name for name in shown.column_names if name.endswith(":label")] == [
        "stats:column_0:label",
        "stats:column_1:label",
    ]
    first = next(each for each in shown.rows if each["table_name"] == "wide")
    assert (first["stats:column_0:label"], first["stats:column_1:label"]) == ("c7", "c90")
    assert ("na", "null") in [(each["table_name"], each["column_name"]) for each in shown.rows]


def test_a_catalog_without_tables():
    assert len(catalog_table([]).rows) == 0
