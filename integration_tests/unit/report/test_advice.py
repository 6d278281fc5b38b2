"""The report's advice, and the gaps that it admits."""

import json
from datetime import timedelta

import shop
import shop_queries

from dbt.adapters.adaptive_spark.learned.evidence import from_text
from dbt.adapters.adaptive_spark.report.advice import advice, not_known
from dbt.adapters.adaptive_spark.report.artifacts import Artifacts
from dbt.adapters.adaptive_spark.report.json_reader import Entry
from dbt.adapters.adaptive_spark.report.manifest import catalog, project
from dbt.adapters.adaptive_spark.report.run_results import run
from dbt.adapters.adaptive_spark.report.statistics_advice import Point
from dbt.adapters.adaptive_spark.report.statistics_gaps import statistics_needed


def read(files):
    found = Artifacts(
        run(Entry.of(files["run_results.json"])),
        project(Entry.of(files["manifest.json"])),
        catalog(Entry.of(files["catalog.json"])) if "catalog.json" in files else None,
        from_text(json.dumps(files["adaptive_filters.json"])) if "adaptive_filters.json" in files else None,
    )
    tables = statistics_needed(found.project, found.run, found.catalog) if found.catalog else []
    return found, tables


def titles(files):
    return [each.title for each in advice(*read(files))]


def gaps(files):
    return not_known(*read(files))


def without(*names):
    return {name: content for name, content in shop.artifacts().items() if name not in names}


def test_statistics_come_first_then_joins():
    assert titles(shop.artifacts()) == [
        "Collect statistics of 3 tables",
        "Collect statistics of 3 sources",
        "Turn spark.sql.exchange.reuse on",
        "Let a larger table filter shop.orders",
        "If the join needs few rows of shop.visits, filter it all the same",
        "Store the join key m.score as an integer, a DECIMAL or a STRING",
    ]


def test_the_same_thing_to_do_is_said_once_for_the_slowest_model():
    files = shop.artifacts()
    reuse = shop_queries.JOINS["model.shop.daily_revenue"][1]
    for result in files["run_results.json"]["results"]:
        if result["unique_id"] in ("model.shop.orders", "model.shop.forecast"):
            result["adapter_response"]["dynamic_filters"] = [reuse, reuse]
    (found,) = (each for each in advice(*read(files)) if "exchange.reuse" in each.title)
    assert found.nodes == ("model.shop.daily_revenue", "model.shop.forecast", "model.shop.orders")
    assert found.place == "dbt_project.yml"
    assert (
        found.snippet
        == "models:\n  shop:\n    daily_revenue:\n      +spark_conf: {spark.sql.exchange.reuse: 'true'}"
    )


def test_filters_that_learn_anew_each_time():
    files = without("adaptive_filters.json")
    for result in files["run_results.json"]["results"]:
        if result["unique_id"] == "model.shop.late_orders":
            result["compiled_code"] = (
                "select * from shop.orders where status = 'delivered' and note rlike 'late' and country in ('DE') and delay_days > 14 "
                "and amount / items > 10"
            )
    found = advice(*read(files))[-1]
    assert (
        found.title
        == "If CI or a container starts each run with an empty target folder, keep target/adaptive_filters.json between runs"
    )
    assert found.why.startswith(
        "In 3 nodes another order of conditions was measured to be quicker than the written one"
    )
    assert found.points == [
        Point(
            "late_orders",
            "",
            "{{ config(filter_order=['delay_days', 'status', 'country', 'note', 'amount']) }}",
            "models/late_orders.sql",
            "model.shop.late_orders",
        )
    ]


def test_filters_with_a_history_need_nothing():
    assert not any("adaptive_filters.json" in title for title in titles(shop.artifacts()))


def test_models_that_have_a_filter_order_are_not_told_of_it():
    files = without("adaptive_filters.json")
    files["manifest.json"]["nodes"]["model.shop.late_orders"]["config"]["filter_order"] = ["status"]
    assert advice(*read(files))[-1].points == []


def test_nothing_is_missing_from_a_run_with_all_its_files():
    assert gaps(shop.artifacts()) == []


def test_no_catalog():
    assert gaps(without("catalog.json")) == [
        "Which columns have statistics is not known, because catalog.json is missing. Run `dbt docs generate --no-compile` after `dbt build`."
    ]


def test_a_catalog_from_before_the_run():
    files = shop.artifacts()
    files["catalog.json"] = shop.catalog(shop.BEGAN - timedelta(days=1))
    assert gaps(files)[0] == (
        "catalog.json is from 2026-11-21 05:00 UTC, before this run. The statistics of 1 table written since then are not known. "
        "Run `dbt docs generate --no-compile` after `dbt build`."
    )


def test_a_schema_of_which_the_catalog_tells_no_columns():
    files = shop.artifacts()
    stats = {"bytes": {"label": "bytes", "value": 1, "description": ""}}
    files["catalog.json"]["sources"]["source.shop.raw.orders"]["stats"] = stats
    assert gaps(files)[0] == (
        "catalog.json does not say which columns in the schema raw have statistics: one of its tables has a format that keeps statistics of its "
        "own, such as Delta Lake or Iceberg."
    )


def untold(files, which="run", adapter="adaptive_spark"):
    for result in files["run_results.json"]["results"]:
        result["adapter_response"] = {"_message": "OK"}
    files["run_results.json"]["args"]["which"] = which
    files["manifest.json"]["metadata"]["adapter_type"] = adapter
    return files


def test_a_run_by_another_adapter():
    files = untold(shop.artifacts(), adapter="spark")
    assert titles(files) == []
    assert gaps(files)[0] == (
        "This run used the adapter spark, which tells nothing about filters, scans and plans. Set `type: adaptive_spark` in the profile to "
        "see them."
    )


def test_a_run_that_did_nothing_of_the_kind():
    assert gaps(untold(shop.artifacts()))[0] == (
        "No model of this run filtered, joined or wrote rows, so there is nothing to show about filters, scans and plans."
    )


def test_microbatches_are_named_and_their_statistics_known():
    files = untold(shop.artifacts())
    files["run_results.json"]["results"][2]["batch_results"] = {"successful": [], "failed": []}
    name = files["run_results.json"]["results"][2]["unique_id"].split(".")[2]
    assert gaps(files)[0] == (
        f"dbt keeps no details of microbatch models, so the page lacks the filters, scans and plans of models/{name}.sql."
    )
    assert "Collect statistics of 3 sources" in titles(files)


def test_a_new_node_in_a_project_with_a_history_is_no_first_run():
    files = shop.artifacts()
    del files["adaptive_filters.json"]["nodes"]["model.shop.late_orders"]
    assert not any("adaptive_filters.json" in title for title in titles(files))


def test_a_command_that_builds_nothing():
    assert gaps(untold(shop.artifacts(), "generate"))[0] == (
        "run_results.json comes from `dbt docs generate`, which builds nothing. Run `dbt build` again, then this report. "
        "`dbt docs generate --no-compile` leaves the file alone."
    )
    for which in ("compile", "run-operation"):
        assert gaps(untold(shop.artifacts(), which))[0].startswith(
            f"run_results.json comes from `dbt {which}`, which builds nothing."
        )
