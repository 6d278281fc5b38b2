"""Which columns of tables later models use, and which lack statistics, from what dbt leaves behind."""

from datetime import timedelta

import pytest
import shop

from dbt.adapters.adaptive_spark.report.json_reader import Entry
from dbt.adapters.adaptive_spark.report.manifest import catalog, project
from dbt.adapters.adaptive_spark.report.run_results import run
from dbt.adapters.adaptive_spark.report.statistics_gaps import statistics_needed


def needed(change=lambda files: None):
    files = shop.artifacts()
    change(files)
    found = statistics_needed(
        project(Entry.of(files["manifest.json"])),
        run(Entry.of(files["run_results.json"])),
        catalog(Entry.of(files["catalog.json"])),
    )
    return {table.node.table: table for table in found}


def node(files, unique_id):
    return files["manifest.json"]["nodes"][unique_id]


def result(files, unique_id):
    return next(each for each in files["run_results.json"]["results"] if each["unique_id"] == unique_id)


def test_columns_of_stored_tables_that_models_read():
    tables = needed()
    assert {name: " ".join(table.needed) for name, table in tables.items()} == {
        "shop.orders": "order_id customer_id day status country amount delay_days ip_country attempts",
        "shop.order_items": "order_id product_id",
        "shop.customers": "customer_id tier cohort country is_test",
        "shop.countries": "code name",
        # through views
        "raw.orders": "order_date valid_from",
        "raw.customers": "deleted",
        "raw.order_items": "loaded_at",
    }
    assert tables["shop.order_items"].lacking == ("product_id",)
    assert tables["shop.order_items"].analyzed == {"order_id"}


def test_columns_that_spark_does_not_count_are_left_out():
    def change(files):
        columns = files["catalog.json"]["nodes"]["model.shop.orders"]["columns"]
        columns["status"]["type"] = "map<string,int>"

    assert "status" not in needed(change)["shop.orders"].needed


def test_readers_are_models_and_snapshots_also_through_views():
    tables = needed()
    assert tables["raw.customers"].readers == {"model.shop.stg_customers", "model.shop.customers"}
    assert "snapshot.shop.customers_history" in tables["shop.customers"].readers
    assert not any(each.startswith("test.") for table in tables.values() for each in table.readers)


def test_what_can_not_be_read_is_named_of_each_table_that_it_reads():
    tables = needed()
    assert tables["shop.orders"].unread == {"models/forecast.sql": "it is written in python"}
    assert tables["raw.orders"].unread == {}


def test_models_that_did_not_run_are_read_as_the_manifest_has_them():
    def change(files):
        results = files["run_results.json"]["results"]
        results.remove(result(files, "model.shop.refunds"))
        results.remove(result(files, "model.shop.daily_revenue"))
        node(files, "model.shop.refunds")["compiled_code"] = "select * from shop.orders where region = 1"

    orders = needed(change)["shop.orders"]
    assert "region" in orders.needed
    assert orders.unread["models/daily_revenue.sql"] == "dbt has not compiled it"


def test_what_ran_counts_and_not_what_was_compiled_since():
    def change(files):
        node(files, "model.shop.refunds")["compiled_code"] = "select * from shop.orders where region = 1"

    assert "region" not in needed(change)["shop.orders"].needed


def test_the_sql_of_an_ephemeral_model_stands_in_its_readers():
    def change(files):
        node(files, "model.shop.stg_customers")["config"]["materialized"] = "ephemeral"
        result(files, "model.shop.customers")["compiled_code"] = (
            "with __dbt__cte__stg_customers as (select * from raw.customers where deleted <> 'yes') "
            "select * from __dbt__cte__stg_customers where tier = 'gold'"
        )
        files["run_results.json"]["results"].remove(result(files, "model.shop.stg_customers"))

    table = needed(change)["raw.customers"]
    assert (" ".join(table.needed), table.unread) == ("deleted tier", {})


@pytest.mark.parametrize("format_", ["delta", "iceberg", "hudi", "DELTA"])
def test_formats_with_their_own_statistics_are_left_out(format_):
    def change(files):
        node(files, "model.shop.orders")["config"]["file_format"] = format_

    assert "shop.orders" not in needed(change)


def test_views_and_what_the_catalog_lacks_are_left_out():
    def change(files):
        files["catalog.json"]["sources"]["source.shop.raw.orders"]["metadata"]["type"] = "view"
        del files["catalog.json"]["nodes"]["model.shop.customers"]

    assert {"raw.orders", "shop.customers"}.isdisjoint(needed(change))


def test_rows_are_those_that_this_run_wrote_or_that_were_counted():
    def change(files):
        files["catalog.json"]["sources"]["source.shop.raw.orders"]["stats"] = {
            "rows": {"value": 7, "description": "counted"}
        }

    tables = needed(change)
    assert {name: table.rows for name, table in tables.items()} == {
        "shop.orders": 12_418_233,
        "shop.order_items": None,  # what an incremental model added is not all
        "shop.customers": 845_102,
        "shop.countries": 249,
        "raw.orders": 7,
        "raw.customers": None,
        "raw.order_items": None,
    }
    assert [name for name, table in tables.items() if not table.wants_statistics] == ["shop.countries", "raw.orders"]  # fmt: skip


def older(files, analyze=None):
    files["catalog.json"]["metadata"]["generated_at"] = shop.iso(shop.BEGAN - timedelta(hours=1))
    for name in ("orders", "order_items"):
        node(files, f"model.shop.{name}")["config"]["analyze"] = analyze


def test_statistics_are_not_known_of_tables_written_since():
    tables = needed(older)
    # there were some, and Spark has forgotten them with the write
    assert (tables["shop.order_items"].is_known, tables["shop.order_items"].lacking) == (False, ())
    # there were none, and nothing collects any
    assert tables["shop.orders"].is_known
    assert tables["raw.orders"].is_known


def test_statistics_that_the_run_itself_collects_are_not_known_to_an_older_catalog():
    assert not needed(lambda files: older(files, "auto"))["shop.orders"].is_known


def test_a_compilation_writes_no_table():
    def change(files):
        older(files)
        files["run_results.json"]["args"]["which"] = "compile"

    assert needed(change)["shop.order_items"].is_known


def test_rows_from_a_sample_are_an_estimate_until_a_run_has_counted_them():
    def change(files):
        for part, name in (("sources", "source.shop.raw.orders"), ("nodes", "model.shop.customers")):
            files["catalog.json"][part][name]["stats"] = {
                "rows": {"label": "≈ rows (estimated from 10 %)", "value": 7, "description": "x"}
            }

    tables = needed(change)
    told = {name: (table.rows, table.rows_are_estimated) for name, table in tables.items()}
    assert (told["raw.orders"], told["shop.customers"]) == ((7, True), (845_102, False))
