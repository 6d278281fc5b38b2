"""A project whose tables are in several Spark catalogs, by `database`, with catalogs among them that do not work."""

import json

import pytest
import yaml
from format_projects import CONFS, passed
from projects import OneProcess, dbt, write_project
from shown import AS_JSON, rows_shown

from dbt.adapters.adaptive_spark.spark.installation import installed_line, spark_home
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

LINE = installed_line(spark_home())
ICEBERG = "org.apache.iceberg.spark.SparkCatalog"
NUMBERS = "from range({{ var('from', 0) }}, {{ var('to', 1000) }})"
BROKEN = "{{ config(enabled=var('broken', false), database="
FILES = {
    "models/orders.sql": "{{ config(materialized='table', file_format='delta') }} "
    "select id, id % 7 as status " + NUMBERS,
    "models/events.sql": "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', "
    "database='lake', file_format='iceberg', on_schema_change='sync_all_columns', analyze='all') }} "
    "select id, {{ var('run', 1) }} as run, {{ var('column', 'id % 2 as old') }} " + NUMBERS,
    "models/totals.sql": "{{ config(materialized='table', database='lake') }} select o.status, count(*) as events "
    "from {{ ref('orders') }} o join {{ ref('events') }} e on o.id = e.id where e.run > 0 group by o.status",
    "models/days.sql": "{{ config(materialized='table', database='pond-2', schema='a-b', alias='by-day') }} "
    "select p.*, {{ var('run', 1) }} as run from {{ source('lake', 'people') }} p -- of {{ ref('people') }}",
    "models/batches.sql": "{{ config(materialized='incremental', incremental_strategy='append', database='pond-2') }} "
    "select run, count(*) as n from {{ ref('days') }} group by run",
    "models/seen.sql": "{{ config(materialized='view', database='spark_catalog') }} "
    "select * from {{ ref('totals') }} where status = 0",
    "models/inlined.sql": "{{ config(materialized='ephemeral') }} select * from {{ source('here', 'orders') }}",
    "models/late.sql": "{{ config(materialized=var('late', 'table'), database='a pool') }} select count(*) as n from "
    "{{ ref('inlined') }} -- of {{ ref('orders') }}",
    "models/sea.sql": BROKEN + "'sea') }} select 1 as id",
    "models/desert.sql": BROKEN + "'desert') }} select 1 as id",
    "models/thirsty.sql": BROKEN + "'lake') }} select * from {{ source('desert', 'wells') }}",
    "models/schema.yml": yaml.safe_dump(
        {
            "models": [
                {
                    "name": "totals",
                    "description": "Events of orders, by the orders' status",
                    "config": {"persist_docs": {"relation": True, "columns": True}},
                    "columns": [
                        {"name": "status", "description": "the order's, 0 to 6", "data_tests": ["not_null"]}
                    ],
                },
                {"name": "events", "columns": [{"name": "id", "data_tests": ["unique"]}]},
            ],
            "sources": [
                {
                    "name": name,
                    "database": database,
                    "schema": "shop",
                    "config": {
                        "enabled": enabled,
                        "freshness": {"warn_after": {"count": 1, "period": "day"}},
                    },
                    "tables": [{"name": table} for table in tables],
                }
                for name, database, enabled, tables in (
                    ("lake", "lake", True, ["people", "events"]),
                    ("here", "spark_catalog", True, ["orders"]),
                    ("desert", "desert", "{{ var('broken', false) }}", ["wells"]),
                )
            ],
        }
    ),
    "macros/names.sql": "{% macro generate_database_name(custom_database_name=none, node=none) %}"
    "{{ return(adaptive_spark__generate_database_name(custom_database_name | replace('a pool', 'lake') "
    "if custom_database_name else none, node)) }}{% endmacro %}",
    "macros/operations.sql": "{% macro drop_of(database) %}{% do adapter.drop_schema(api.Relation.create(database=database, schema='shop')) %}"
    "{% do log(adapter.check_schema_exists(database, 'shop'), info=true) %}{% endmacro %}"
    "{% macro rename_across() %}{% do adapter.rename_relation(api.Relation.create(database='lake', schema='shop', "
    "identifier='late', type='table'), api.Relation.create(schema='shop', identifier='late', type='table')) %}"
    "{% endmacro %}",
    "seeds/people.csv": "id,name\n1,ann\n2,ben\n",
    "snapshots/history.sql": "{% snapshot history %}{{ config(unique_key='id', strategy='check', check_cols=['name']) }} "
    "select * from {{ ref('people') }}{% endsnapshot %}",
}
IN_LAKE = {"+database": "lake", "+file_format": "iceberg"}


def write(folder, confs, files=FILES, **settings):
    write_project(folder, files, threads=2, seeds=IN_LAKE, snapshots=IN_LAKE, **settings)
    profiles = yaml.safe_load((folder / "profiles.yml").read_text())
    profiles["shop"]["outputs"]["dev"]["server_side_parameters"] |= confs
    (folder / "profiles.yml").write_text(yaml.safe_dump(profiles))
    return folder


def catalog(name, kind, **options):
    key = f"spark.sql.catalog.{name}"
    return {
        key: ICEBERG,
        f"{key}.type": kind,
        **{f"{key}.{option}": each for option, each in options.items()},
    }


def shown(process, query):
    return rows_shown(process.dbt("show", "--inline", query, *AS_JSON).stdout)


@pytest.fixture(scope="module")
def built_twice(tmp_path_factory):
    """The process that has built it, and what it said."""
    if any(LINE not in each.releases for each in FORMATS.values()):
        pytest.skip(f"There is no release of every format for {LINE}.")
    folder = tmp_path_factory.mktemp("catalogs")
    confs = {
        **catalog("lake", "hadoop", warehouse=str(folder / "lake")),
        **catalog("pond-2", "hadoop", warehouse=str(folder / "pond")),
        **catalog("sea", "rest", uri="http://127.0.0.1:9"),
        **CONFS,
    }
    with OneProcess(write(folder, confs)) as process:
        first = passed(process, "build")
        (folder / "seeds" / "people.csv").write_text("id,name\n1,ann\n2,bob\n3,cy\n")
        others = {"from": 500, "to": 1500, "run": 2, "column": "id % 3 as new"}
        passed(process, "build", **others)
        yield process, first


def test_a_configured_catalog_is_enough_beside_another_formats_session_catalog(built_twice):
    _, said = built_twice
    assert "is not configured" not in said
    for taken in FORMATS.values():
        assert f"{taken.title} comes with {taken.releases[LINE]}" in said


def test_rows_are_merged_in_a_catalog_and_columns_change(built_twice):
    process, _ = built_twice
    rows = process.rows("select run, count(*), count(new) from lake.shop.events group by run order by run")
    assert rows == [(1, 500, 0), (2, 1000, 1000)]


def test_models_join_tables_of_two_catalogs(built_twice):
    process, _ = built_twice
    assert process.rows("select sum(events) from lake.shop.totals") == [(1000,)]
    assert shown(process, "select events from {{ ref('seen') }}") == process.rows(
        "select events from shop.seen"
    )
    assert shown(process, "select n from {{ ref('late') }}") == [(1000,)]


def test_names_that_are_no_plain_words_are_quoted(built_twice):
    process, _ = built_twice
    assert process.rows("select name, run from `pond-2`.`shop_a-b`.`by-day` order by name") == [
        ("ann", 2),
        ("bob", 2),
        ("cy", 2),
    ]
    assert shown(process, "select run, n from {{ ref('batches') }} order by run") == [(1, 2), (2, 3)]


def test_seeds_and_snapshots_are_in_the_catalog_that_they_name(built_twice):
    process, _ = built_twice
    rows = process.rows("select id, name, dbt_valid_to is null from lake.shop.history order by id, name")
    assert rows == [(1, "ann", True), (2, "ben", False), (2, "bob", True), (3, "cy", True)]
    assert process.rows("select count(*) from lake.shop.people") == [(3,)]


def test_nothing_of_another_catalog_is_in_the_session_catalog(built_twice):
    process, _ = built_twice
    listed = process.rows("select distinct table_name from adaptive_catalog('shop') order by table_name")
    assert listed == [("orders",), ("seen",)]
    assert process.rows("select distinct table_name from adaptive_catalog('default')") == []


def test_artifacts_have_names_of_three_parts_only_elsewhere(built_twice):
    process, _ = built_twice
    nodes = json.loads((process.folder / "target" / "manifest.json").read_text())["nodes"]
    names = {
        name: nodes[f"model.shop.{name}"]["relation_name"] for name in ("orders", "seen", "totals", "days")
    }
    assert names == {
        "orders": "shop.orders",
        "seen": "shop.seen",
        "totals": "lake.shop.totals",
        "days": "`pond-2`.`shop_a-b`.`by-day`",
    }


def test_docs_describe_the_tables_of_all_catalogs(built_twice):
    process, _ = built_twice
    ended = process.dbt("docs", "generate")
    assert ended.returncode == 0, ended.stdout
    found = json.loads((process.folder / "target" / "catalog.json").read_text())
    nodes, sources = found["nodes"], found["sources"]
    totals = nodes["model.shop.totals"]
    assert totals["metadata"]["database"] == "lake"
    assert totals["metadata"]["comment"] == "Events of orders, by the orders' status"
    assert totals["columns"]["status"]["comment"] == "the order's, 0 to 6"
    assert totals["columns"]["events"]["type"] == "bigint"
    if LINE.spark == "3.5":
        assert "rows" not in totals["stats"]  # no DESCRIBE there has them
    else:
        assert totals["stats"]["rows"]["value"] == 7
    assert nodes["model.shop.days"]["metadata"]["database"] == "pond-2"
    assert nodes["model.shop.orders"]["metadata"]["database"] is None
    assert {"seed.shop.people", "snapshot.shop.history", "model.shop.seen"} <= nodes.keys()
    assert {"source.shop.lake.people", "source.shop.lake.events", "source.shop.here.orders"} <= sources.keys()


def test_sources_of_a_catalog_say_how_fresh_they_are(built_twice):
    process, _ = built_twice
    ended = process.dbt("source", "freshness")
    assert ended.returncode == 0, ended.stdout
    results = json.loads((process.folder / "target" / "sources.json").read_text())["results"]
    assert {each["unique_id"] for each in results if each["status"] == "pass"} == {
        "source.shop.lake.people",
        "source.shop.lake.events",
        "source.shop.here.orders",
    }


def test_analyze_says_that_spark_keeps_no_statistics_there(built_twice):
    _, said = built_twice
    assert "analyze: lake.shop.events is not in Spark's session catalog" in said


def test_catalogs_that_fail_leave_the_others_working(built_twice):
    process, _ = built_twice
    chosen = ("orders", "events", "sea", "desert", "thirsty")
    ended = process.dbt("run", "--vars", json.dumps({"broken": True}), "--select", *chosen)
    before, _, _ = ended.stdout.partition(" START ")
    assert "The catalog desert is not configured: spark.sql.catalog.desert is not set." in before
    assert "in server_side_parameters" in before
    assert "The catalog sea cannot be used: " in before
    results = json.loads((process.folder / "target" / "run_results.json").read_text())["results"]
    assert {each["unique_id"].split(".")[-1]: each["status"] for each in results} == {
        "orders": "success",
        "events": "success",
        "sea": "error",
        "desert": "error",
        "thirsty": "error",
    }
    told = {each["unique_id"].split(".")[-1]: each["message"] for each in results}
    assert "The catalog sea cannot be used: " in told["sea"]
    assert "The catalog desert is not configured" in told["desert"]
    assert "The catalog desert is not configured" in told["thirsty"]


def test_docs_describe_what_they_can_where_a_catalog_fails(built_twice):
    process, _ = built_twice
    ended = process.dbt("docs", "generate", "--vars", json.dumps({"broken": True}))
    assert "The catalog desert is not configured" in ended.stdout
    found = json.loads((process.folder / "target" / "catalog.json").read_text())
    assert {"model.shop.orders", "model.shop.totals"} <= found["nodes"].keys()
    assert "source.shop.desert.wells" not in found["sources"]
    assert any("The catalog sea cannot be used" in each for each in found["errors"])


def test_a_rename_across_catalogs_is_refused(built_twice):
    process, _ = built_twice
    ended = process.dbt("run-operation", "rename_across")
    assert ended.returncode != 0
    assert (
        "lake.shop.late cannot be renamed to shop.late: Spark renames tables within one catalog."
        in ended.stdout
    )


def test_a_table_is_not_dropped_for_a_view_where_the_catalog_has_none(built_twice):
    process, _ = built_twice
    ended = process.dbt("run", "--select", "late", "--vars", json.dumps({"late": "view"}))
    assert ended.returncode != 0
    assert process.rows("select n > 0 from lake.shop.late") == [(True,)]


def test_a_schema_is_dropped_with_its_tables(built_twice):
    process, _ = built_twice
    ended = process.dbt("run-operation", "drop_of", "--args", json.dumps({"database": "pond-2"}))
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.rstrip().endswith("False")


def test_a_catalog_that_is_not_configured_is_told_of_on_every_spark(tmp_path):
    files = {
        "models/here.sql": "{{ config(materialized='table') }} select 1 as id",
        "models/there.sql": "{{ config(materialized='table', database='desert') }} select 1 as id",
    }
    ended = dbt(write(tmp_path, {}, files), "run")
    before, _, after = ended.stdout.partition(" START ")
    assert "Set spark.sql.catalog.desert to the catalog's class" in before
    assert "PASS=1 WARN=0 ERROR=1" in after
