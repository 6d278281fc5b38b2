"""dbt's manifest.json and catalog.json: nodes, their tables, and which columns have statistics."""

import pytest
import shop

from dbt.adapters.adaptive_spark.report.json_reader import Entry, ShapeError
from dbt.adapters.adaptive_spark.report.manifest import CatalogColumn, catalog, project


def tables(content):
    return catalog(Entry.of(content)).tables


def test_the_project():
    found = project(Entry.of(shop.manifest()))
    assert (found.name, found.adapter) == ("shop", "adaptive_spark")
    orders = found.nodes["model.shop.orders"]
    assert (orders.table, orders.path, orders.materialized) == ("shop.orders", "models/orders.sql", "table")
    assert orders.parents == ("model.shop.stg_orders",)
    assert [found.nodes[f"model.shop.{name}"].is_inlined for name in ("stg_orders", "orders")] == [True, False]  # fmt: skip
    source = found.nodes["source.shop.raw.orders"]
    assert (source.kind, source.name, source.table) == ("source", "raw.orders", "raw.orders")
    assert found.nodes["snapshot.shop.customers_history"].keys == ("customer_id",)
    assert found.nodes["model.shop.forecast"].language == "python"
    assert not found.nodes["test.shop.unique_orders_order_id"].is_table_or_view


@pytest.mark.parametrize(
    ("analyze", "collects"),
    [
        (None, False),
        (False, False),
        ("off", False),
        ("auto", True),
        (["id"], True),
        ({"columns": "auto"}, True),
    ],
)
def test_whether_a_node_collects_statistics(analyze, collects):
    content = shop.node("model.shop.a", "model", "table", config={"analyze": analyze})
    found = project(Entry.of({"nodes": {"model.shop.a": content}}))
    assert found.nodes["model.shop.a"].collects_statistics is collects


def test_keys_of_a_snapshot_may_be_several():
    content = shop.node("snapshot.shop.a", "snapshot", "snapshot", config={"unique_key": ["a", "b"]})
    assert project(Entry.of({"nodes": {"a": content}})).nodes["snapshot.shop.a"].keys == ("a", "b")


def test_columns_with_statistics_as_the_adapter_writes_them():
    items = tables(shop.catalog())["model.shop.order_items"]
    assert items.columns[:2] == (
        CatalogColumn("order_id", "string", True),
        CatalogColumn("product_id", "string", False),
    )
    assert (items.is_view, items.tells_columns, items.rows) == (False, True, None)


def test_rows_are_those_of_the_last_analysis():
    content = shop.catalog()
    content["nodes"]["model.shop.orders"]["stats"] = {
        "rows": {"value": 1204.0, "description": "When the table was last analyzed"}
    }
    assert tables(content)["model.shop.orders"].rows == 1204


def test_a_schema_that_dbt_spark_described_says_nothing_of_columns():
    content = shop.catalog()
    content["nodes"]["model.shop.orders"]["stats"] = {
        "bytes": {"label": "bytes", "value": 99, "description": ""}
    }
    found = tables(content)
    assert [found[each].tells_columns for each in ("model.shop.orders", "model.shop.customers")] == [False, False]  # fmt: skip
    assert found["source.shop.raw.orders"].tells_columns


def test_a_catalog_without_a_time_is_named():
    with pytest.raises(ShapeError, match=r"^metadata\.generated_at is missing$"):
        tables({"nodes": {}})


def test_a_table_of_another_catalog_has_its_name_and_no_statistics_of_sparks():
    content = {**shop.node("model.shop.a", "model", "table"), "database": "lake"}
    found = project(Entry.of({"nodes": {"model.shop.a": content}})).nodes["model.shop.a"]
    assert found.table == f"lake.{found.schema}.{found.identifier}" and found.keeps_own_statistics
