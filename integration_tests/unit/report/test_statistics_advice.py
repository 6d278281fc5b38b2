"""Which statistics the report says to collect, in which order and by which line."""

import shop
import shop_queries

from dbt.adapters.adaptive_spark.report.json_reader import Entry
from dbt.adapters.adaptive_spark.report.manifest import catalog, project
from dbt.adapters.adaptive_spark.report.run_results import run
from dbt.adapters.adaptive_spark.report.statistics_advice import statistics_advice
from dbt.adapters.adaptive_spark.report.statistics_gaps import statistics_needed


def advised(change=lambda files: None, files=None, has_catalog=True):
    files = files or shop.artifacts()
    change(files)
    of_project, of_run = project(Entry.of(files["manifest.json"])), run(Entry.of(files["run_results.json"]))
    tables = (
        statistics_needed(of_project, of_run, catalog(Entry.of(files["catalog.json"]))) if has_catalog else []
    )
    return statistics_advice(of_project, of_run, tables)


def config(files, name, **more):
    files["manifest.json"]["nodes"][f"model.shop.{name}"]["config"] |= more


def test_what_the_planner_was_wrong_about_comes_first_then_the_time_of_the_readers():
    assert [each.title for each in advised()] == [
        "Collect statistics of shop.orders",
        "Collect statistics of shop.customers",
        "Collect statistics of shop.order_items",
        "Collect statistics of 3 sources",
    ]


def test_one_table():
    (orders, customers, *_) = advised()
    assert orders.why == (
        "In daily_revenue, Spark expected 1,204,000 rows from shop.orders and got 9,110. 6 models that took 3 min 14 s filter, join or "
        "group by 10 columns without statistics: order_id, customer_id, day, status, country, note, amount, delay_days, ip_country, attempts."
    )
    assert (orders.snippet, orders.place) == ("{{ config(analyze='auto') }}", "models/orders.sql")
    assert orders.nodes == ("model.shop.orders",)
    assert customers.why.startswith(
        "In late_orders, Spark expected 310 rows from shop.customers and got 10,412."
    )


def test_sources_are_one_command():
    sources = advised()[-1]
    assert (
        sources.snippet
        == "dbt run-operation analyze_sources --args '{sources: [raw.orders, raw.order_items, raw.customers]}'"
    )
    assert sources.points == [
        "raw.orders: order_date, valid_from",
        "raw.order_items: loaded_at",
        "raw.customers: deleted",
    ]


def test_a_source_that_is_small_and_matters_is_asked_for_with_min_rows():
    def change(files):
        result = files["run_results.json"]["results"][1]
        result["adapter_response"]["aqe"] = {
            "rows": [shop_queries.change(285, 3_322, "spark_catalog.raw.customers", "Project", 2)]
        }

    (sources,) = (each for each in advised(change) if "source" in each.title)
    assert sources.snippet.endswith(
        "--args '{sources: [raw.customers, raw.orders, raw.order_items], analyze: {columns: auto, min_rows: 0}}'"
    )
    assert sources.why.startswith("In stg_orders, Spark expected 285 rows from raw.customers and got 3,322.")


def test_a_small_table_is_advised_only_where_it_misled_the_planner():
    def change(files):
        result = next(
            each for each in files["run_results.json"]["results"] if each["unique_id"].endswith("refunds")
        )
        result["adapter_response"]["aqe"] = {
            "rows": [shop_queries.change(9, 1_200, "spark_catalog.shop.countries", "Filter", 0)]
        }

    assert not any("countries" in each.title for each in advised())
    (seed,) = (each for each in advised(change) if "countries" in each.title)
    assert seed.place == "dbt_project.yml"
    assert (
        seed.snippet
        == "seeds:\n  shop:\n    codes:\n      countries:\n        +analyze: {columns: auto, min_rows: 0}"
    )


def test_a_small_model_says_min_rows_in_its_config():
    def change(files):
        for result in files["run_results.json"]["results"]:
            if result["unique_id"] == "model.shop.customers":
                result["adapter_response"]["rows_affected"] = 20_000

    (customers,) = (each for each in advised(change) if "customers" in each.title)
    assert customers.snippet == "{{ config(analyze={'columns': 'auto', 'min_rows': 0}) }}"


def test_tables_that_are_analyzed_already_are_left_alone():
    titles = [each.title for each in advised(lambda files: config(files, "orders", analyze="auto"))]
    assert "Collect statistics of shop.orders" not in titles


def test_many_tables_are_one_piece_of_advice():
    def change(files):
        for number in range(40):
            name = f"m{number:02}"
            files["manifest.json"]["nodes"][f"model.shop.{name}"] = shop.node(
                f"model.shop.{name}", "model", "table", ["model.shop.orders"]
            )
            files["manifest.json"]["nodes"]["model.shop.refunds"]["depends_on"]["nodes"].append(
                f"model.shop.{name}"
            )
            files["catalog.json"]["nodes"][f"model.shop.{name}"] = {
                "metadata": {"type": "table", "schema": "shop"},
                "columns": {"id": {"name": "id", "type": "int"}},
            }
        for result in files["run_results.json"]["results"]:
            if result["unique_id"] == "model.shop.refunds":
                joins = " ".join(f"join shop.m{number:02} using (id)" for number in range(40))
                result["compiled_code"] = f"select * from shop.orders {joins}"

    found = advised(change)
    assert [each.title for each in found] == [
        "Collect statistics of shop.orders",
        "Collect statistics of shop.customers",
        "Collect statistics of 43 tables at once",
        "Collect statistics of 3 sources",
    ]
    assert found[2].snippet == "models:\n  shop:\n    +analyze: auto"
    assert len(found[2].points) == 31
    assert found[2].points[-1] == "and 13 more tables"


def test_without_a_catalog_what_misled_the_planner_is_still_known():
    assert [each.title for each in advised(has_catalog=False)] == [
        "Collect statistics of shop.orders",
        "Collect statistics of shop.customers",
    ]


def test_names_that_are_no_plain_words_are_quoted_for_yaml_and_for_the_shell():
    def change(files):
        files["manifest.json"]["sources"]["source.shop.raw.orders"]["source_name"] = "ra'w; rm -rf"

    snippet = advised(change)[-1].snippet
    assert '["ra\'"\'"\'w; rm -rf.orders", raw.order_items, raw.customers]' in snippet


def test_a_small_table_is_not_to_blame_for_what_several_gave():
    def change(files):
        result = next(
            each for each in files["run_results.json"]["results"] if each["unique_id"].endswith("refunds")
        )
        tables = "spark_catalog.shop.countries, spark_catalog.shop.orders"
        result["adapter_response"]["aqe"] = {
            "rows": [shop_queries.change(9, 1_200, tables, "SortMergeJoin", 0)]
        }

    found = advised(change)
    assert not any("countries" in each.title for each in found)
    (orders,) = (each for each in found if each.title == "Collect statistics of shop.orders")
    assert "Spark expected" in orders.why


def test_formats_with_their_own_statistics_and_tables_that_nobody_reads_are_left_alone():
    def change(files):
        config(files, "orders", file_format="delta")
        for node in files["manifest.json"]["nodes"].values():
            parents = node["depends_on"]["nodes"]
            node["depends_on"]["nodes"] = [each for each in parents if each != "model.shop.customers"]

    titles = [each.title for each in advised(change)]
    assert "Collect statistics of shop.orders" not in titles
    assert "Collect statistics of shop.customers" not in titles


def test_a_model_of_another_package_and_one_in_python_are_configured_in_the_project():
    def of_package(files):
        files["manifest.json"]["nodes"]["model.shop.orders"] |= {
            "package_name": "crm",
            "fqn": ["crm", "marts", "orders"],
        }

    def in_python(files):
        files["manifest.json"]["nodes"]["model.shop.orders"] |= {"language": "python"}

    for change, lines in (
        (of_package, "models:\n  crm:\n    marts:\n      orders:\n        +analyze: auto"),
        (in_python, "models:\n  shop:\n    orders:\n      +analyze: auto"),
    ):
        (orders,) = (each for each in advised(change) if each.title == "Collect statistics of shop.orders")
        assert (orders.snippet, orders.place) == (lines, "dbt_project.yml")
