"""Which statistics the report says to collect, in which order and by which line."""

import shop
import shop_queries

from dbt.adapters.adaptive_spark.report.json_reader import Entry
from dbt.adapters.adaptive_spark.report.manifest import catalog, project
from dbt.adapters.adaptive_spark.report.run_results import run
from dbt.adapters.adaptive_spark.report.statistics_advice import Point, not_counted, statistics_advice
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


def points(found, kind="table"):
    """The lines of the advice on the project's tables or on its sources, by table."""
    return {point.subject: point for each in found if f" {kind}" in each.title for point in each.points}


def test_the_projects_tables_are_one_list_and_its_sources_another():
    assert [each.title for each in advised()] == [
        "Collect statistics of 3 tables",
        "Collect statistics of 3 sources",
    ]


def test_what_the_planner_was_wrong_about_comes_first_then_the_time_of_the_readers():
    assert [*points(advised())] == ["shop.orders", "shop.customers", "shop.order_items"]


def test_a_line_a_table():
    (orders, customers, items) = points(advised()).values()
    assert orders == Point(
        "shop.orders",
        "row estimate 132 × too high in daily_revenue; 9 columns in 6 models",
        "{{ config(analyze='auto') }}",
        "models/orders.sql",
        "model.shop.orders",
    )
    assert customers.why == "row estimate 34 × too low in late_orders; 5 columns in 4 models"
    assert items.why == "product_id in 3 models (1 min 54 s)"


def test_a_single_table_is_named_in_the_title():
    def change(files):
        for name in ("orders", "customers"):
            config(files, name, analyze="auto")

    assert advised(change)[0].title == "Collect statistics of shop.order_items"


def test_no_operator_of_a_plan_is_named():
    told = " ".join(f"{each.why} {point.why}" for each in advised() for point in each.points)
    assert not any(operator in told for operator in ("Filter", "Project", "Exchange", "Join "))


def test_columns_that_only_like_and_rlike_use_are_not_named():
    found = advised()
    (customers,) = (point for point in found[-1].points if point.subject == "raw.customers")
    assert customers.why == "deleted in 2 models (10.2 s)"  # email is in a LIKE

    def change(files):
        for result in files["run_results.json"]["results"]:
            if result["unique_id"] == "model.shop.stg_customers":
                result["compiled_code"] = "select * from raw.customers where email like '%@%'"

    assert "raw.customers" not in points(advised(change), "sources")


def test_sources_are_one_command():
    sources = advised()[-1]
    assert (
        sources.snippet == "dbt run-operation analyze_sources "
        "--args '{sources: [raw.orders, raw.order_items, raw.customers], analyze: {columns: auto, min_rows: 0}}'"
    )
    assert [(each.subject, each.why) for each in sources.points] == [
        ("raw.orders", "order_date and valid_from in 2 models (48.6 s)"),
        ("raw.order_items", "loaded_at in 1 model (21.7 s)"),
        ("raw.customers", "deleted in 2 models (10.2 s)"),
    ]


def test_sources_that_are_known_to_be_large_need_no_option():
    def change(files):
        for source in files["catalog.json"]["sources"].values():
            source["stats"]["rows"] = {"label": "Rows", "value": 5_000_000, "description": "x"}

    (sources,) = (each for each in advised(change) if "source" in each.title)
    assert sources.snippet.endswith("raw.customers]}'")


def test_a_source_says_which_of_its_readers_could_not_be_read():
    def change(files):
        for result in files["run_results.json"]["results"]:
            if result["unique_id"] == "model.shop.customers":
                result["compiled_code"] = None

    assert points(advised(change), "source")["raw.customers"].why == (
        "deleted in 2 models (10.2 s); perhaps other columns in models/customers.sql, not read"
    )


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
    assert sources.points[0].why == "row estimate 12 × too low in stg_orders; deleted in 2 models"


def test_a_small_table_is_advised_only_where_it_misled_the_planner():
    def change(files):
        result = next(
            each for each in files["run_results.json"]["results"] if each["unique_id"].endswith("refunds")
        )
        result["adapter_response"]["aqe"] = {
            "rows": [shop_queries.change(9, 1_200, "spark_catalog.shop.countries", "Filter", 0)]
        }

    assert "shop.countries" not in points(advised())
    seed = points(advised(change))["shop.countries"]
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

    customers = points(advised(change))["shop.customers"]
    assert customers.snippet == "{{ config(analyze={'columns': 'auto', 'min_rows': 0}) }}"


def test_tables_that_are_analyzed_already_are_left_alone():
    found = advised(lambda files: config(files, "orders", analyze="auto"))
    assert [*points(found)] == ["shop.customers", "shop.order_items"]


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
        "Collect statistics of 43 tables",
        "Collect statistics of 3 sources",
    ]
    assert (found[0].snippet, found[0].place) == ("models:\n  shop:\n    +analyze: auto", "dbt_project.yml")
    assert "fewer than 100,000 rows are left alone" in found[0].why
    assert len(found[0].points) == 31
    assert all(point.snippet is None for point in found[0].points)
    assert found[0].points[-1] == Point("and 13 more tables")


def test_without_a_catalog_what_misled_the_planner_is_still_known():
    (found,) = advised(has_catalog=False)
    assert [(each.subject, each.why) for each in found.points] == [
        ("shop.orders", "row estimate 132 × too high in daily_revenue"),
        ("shop.customers", "row estimate 34 × too low in late_orders"),
    ]


def test_names_that_are_no_plain_words_are_quoted_for_yaml_and_for_the_shell():
    def change(files):
        files["manifest.json"]["sources"]["source.shop.raw.orders"]["source_name"] = "ra'w; rm -rf"

    snippet = advised(change)[-1].snippet
    assert '["ra\'"\'"\'w; rm -rf.orders", raw.order_items, raw.customers]' in snippet


def test_a_wrong_estimate_that_statistics_do_not_mend_asks_for_none():
    def change(files):
        result = next(
            each for each in files["run_results.json"]["results"] if each["unique_id"].endswith("refunds")
        )
        wrong = shop_queries.change(9_000, 12, "spark_catalog.shop.countries", "Window", 0)
        result["adapter_response"]["aqe"] = {"rows": [{**wrong, "statistics": ""}]}

    assert "shop.countries" not in points(advised(change))


def test_a_small_table_is_not_to_blame_for_what_several_gave():
    def change(files):
        result = next(
            each for each in files["run_results.json"]["results"] if each["unique_id"].endswith("refunds")
        )
        tables = "spark_catalog.shop.countries, spark_catalog.shop.orders"
        result["adapter_response"]["aqe"] = {
            "rows": [shop_queries.change(9, 1_200, tables, "SortMergeJoin", 0)]
        }

    lines = points(advised(change))
    assert "shop.countries" not in lines
    assert lines["shop.orders"].why.startswith("row estimate of it and other tables 133 × too low in refunds")


def test_formats_with_their_own_statistics_and_tables_that_nobody_reads_are_left_alone():
    def change(files):
        config(files, "orders", file_format="delta")
        for node in files["manifest.json"]["nodes"].values():
            parents = node["depends_on"]["nodes"]
            node["depends_on"]["nodes"] = [each for each in parents if each != "model.shop.customers"]

    assert [each.title for each in advised(change)] == [
        "Collect statistics of shop.order_items",
        "Collect statistics of 3 sources",
    ]


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
        orders = points(advised(change))["shop.orders"]
        assert (orders.snippet, orders.place) == (lines, "dbt_project.yml")


def uncounted(*names, table="shop.orders"):
    """The sentences beside a table's columns where dbt has not compiled these models."""
    files = shop.artifacts()
    for result in files["run_results.json"]["results"]:
        if result["unique_id"].split(".")[-1] in names:
            result["compiled_code"] = None
    of_project, of_run = project(Entry.of(files["manifest.json"])), run(Entry.of(files["run_results.json"]))
    tables = statistics_needed(of_project, of_run, catalog(Entry.of(files["catalog.json"])))
    return not_counted(next(each for each in tables if each.node.table == table))


def test_models_that_dbt_has_not_compiled_may_use_more_columns():
    first, _ = uncounted("refunds", "weekly_cohorts")
    assert first == (
        "There may be more: models/refunds.sql and models/weekly_cohorts.sql read this table too, but which columns they use is not known, "
        "because dbt did not compile them in this run. To have all models compiled and read: `dbt docs generate --target-path target/docs`, then "
        "`dbt-adaptive-spark report --docs-path target/docs`."
    )
    assert "models/refunds.sql reads this table too, but which columns it uses" in uncounted("refunds")[0]


def test_a_model_in_python_may_use_more_columns():
    assert uncounted() == [
        "There may be more: models/forecast.sql reads this table too, but which columns it uses is not known, because it is written in python. If they "
        "matter, list all columns that need statistics in the config of this table, such as `analyze: [order_id, customer_id, another_column]`, or set "
        "`analyze: all`."
    ]
    assert uncounted(table="shop.order_items") == []
