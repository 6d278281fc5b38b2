"""A project in a catalog of Iceberg's that is a database or a server: tables, views, a merge, a snapshot, docs."""

import json
import os

import pytest
from catalog_servers import database, metastore, rest
from format_projects import CONFS, passed
from projects import OneProcess
from test_catalogs import ICEBERG, IN_LAKE, LINE, shown, write

from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

MERGED = "materialized='incremental', incremental_strategy='merge', unique_key='id'"
FILES = {
    "models/events.sql": "{{ config(" + MERGED + ", on_schema_change='sync_all_columns') }} "
    "select id, {{ var('run', 1) }} as run, {{ var('column', 'id % 2 as old') }} "
    "from range({{ var('from', 0) }}, {{ var('to', 1000) }})",
    "models/totals.sql": "{{ config(materialized='table', partition_by=['truncate(2, name)']) }} "
    "select p.name, count(*) as events from {{ ref('people') }} p join {{ ref('events') }} e on p.id = e.id % 3 "
    "where e.run > 0 and p.name like '%n%' group by p.name",
    "models/seen.sql": "{{ config(materialized='view') }} select * from {{ ref('totals') }} where events > 1",
    "models/here.sql": "{{ config(materialized='table', database='spark_catalog', file_format='parquet') }} "
    "select count(*) as n from {{ ref('seen') }}",
    "seeds/people.csv": "id,name\n1,ann\n2,ben\n",
    "snapshots/history.sql": "{% snapshot history %}{{ config(unique_key='id', strategy='check', check_cols=['name']) }} "
    "select * from {{ ref('people') }}{% endsnapshot %}",
    "models/schema.yml": json.dumps(
        {"models": [{"name": "events", "columns": [{"name": "id", "data_tests": ["unique", "not_null"]}]}]}
    ),
}


# Of these `make test` has one; each takes half a minute.
CATALOGS = {"rest": rest, "jdbc": database, "hive": metastore}
TRIED = CATALOGS if os.environ.get("FORMS") == "all" else {"rest": rest}


@pytest.fixture(scope="module", params=TRIED.values(), ids=TRIED)
def built_twice(tmp_path_factory, request):
    """The process that has built it."""
    if LINE not in FORMATS["iceberg"].releases:
        pytest.skip(f"{FORMATS['iceberg'].title} has no release for {LINE}.")
    folder, lake = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("lake")
    with request.param(lake) as catalog:
        confs = {"spark.sql.catalog.lake": ICEBERG, **catalog, **CONFS}
        with OneProcess(write(folder, confs, FILES, models=IN_LAKE)) as process:
            passed(process, "build")
            (folder / "seeds" / "people.csv").write_text("id,name\n1,ann\n2,bob\n3,cyn\n")
            others = {"from": 500, "to": 1500, "run": 2, "column": "id % 3 as new"}
            passed(process, "build", **others)
            yield process


def test_rows_are_merged_and_columns_change(built_twice):
    rows = built_twice.rows(
        "select run, count(*), count(new) from lake.shop.events group by run order by run"
    )
    assert rows == [(1, 500, 0), (2, 1000, 1000)]


def test_a_view_of_the_catalog_is_read_from_another(built_twice):
    assert shown(built_twice, "select name, events from {{ ref('seen') }} order by name") == [("ann", 500)]
    assert built_twice.rows("select n from shop.here") == [(1,)]
    assert [row[1] for row in built_twice.rows("show views in lake.shop")] == ["seen"]


def test_a_snapshot_keeps_its_history(built_twice):
    rows = built_twice.rows("select id, name, dbt_valid_to is null from lake.shop.history order by id, name")
    assert rows == [(1, "ann", True), (2, "ben", False), (2, "bob", True), (3, "cyn", True)]


def test_docs_and_a_full_refresh(built_twice):
    passed(built_twice, "docs", "generate")
    nodes = json.loads((built_twice.folder / "target" / "catalog.json").read_text())["nodes"]
    assert {f"model.shop.{name}" for name in ("events", "totals", "seen", "here")} <= nodes.keys()
    passed(built_twice, "run", "--full-refresh", "--select", "events")
    assert built_twice.rows("select run, count(*) from lake.shop.events group by run") == [(1, 1000)]
