"""A project over a Thrift server whose session catalog is Delta Lake's, with a catalog of Iceberg's beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest
from servers import Project, project, serving
from shown import AS_JSON, rows_shown

from build_support.builds import builds
from build_support.format_jars import format_jars
from dbt.adapters.adaptive_spark.spark.class_path import CLASS_PATH_KEY
from dbt.adapters.adaptive_spark.spark.installation import installed_line, spark_home
from dbt.adapters.adaptive_spark.spark.session_conf import EXTENSION
from dbt.adapters.adaptive_spark.spark.table_formats import DELTA, FORMATS, ICEBERG

LINE = installed_line(spark_home())
MERGED = "materialized='incremental', incremental_strategy='merge', unique_key='id'"
NUMBERS = "from range({{ var('from', 0) }}, {{ var('to', 1000) }})"
IN_LAKE = "database='lake', file_format='iceberg'"
FILES = {
    "models/orders.sql": "{{ config(file_format='delta', " + MERGED + ") }} "
    "select id, id % 7 as status, {{ var('run', 1) }} as run " + NUMBERS,
    "models/events.sql": "{{ config("
    + IN_LAKE
    + ", "
    + MERGED
    + ", on_schema_change='append_new_columns') }} "
    "select id, {{ var('run', 1) }} as run {{ var('column', '') }} " + NUMBERS,
    "models/totals.sql": "{{ config(" + IN_LAKE + ", materialized='table') }} "
    "select o.run, count(*) as n from {{ ref('orders') }} o join {{ ref('events') }} e on o.id = e.id "
    "join {{ ref('people') }} p on o.status = p.id where o.run > 0 and p.name like '%n%' group by o.run",
    "models/schema.yml": json.dumps(
        {"models": [{"name": "events", "columns": [{"name": "id", "data_tests": ["unique"]}]}]}
    ),
    "seeds/people.csv": "id,name\n1,ann\n2,ben\n",
    "seeds/schema.yml": json.dumps(
        {"seeds": [{"name": "people", "config": {"database": "lake", "file_format": "iceberg"}}]}
    ),
    "snapshots/history.sql": "{% snapshot history %}{{ config("
    + IN_LAKE
    + ", unique_key='id', strategy='check', "
    "check_cols=['name']) }} select * from {{ ref('people') }}{% endsnapshot %}",
}


@pytest.fixture(scope="module")
def built_twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    if any(LINE not in each.releases for each in FORMATS.values()):
        pytest.skip(f"There is no release of every format for {LINE}.")
    folder = tmp_path_factory.mktemp("formats")
    confs = {
        "spark.sql.extensions": f"{EXTENSION},{DELTA.extension},{ICEBERG.extension}",
        "spark.sql.catalog.spark_catalog": DELTA.catalog,
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(folder / "lake"),
        "spark.sql.catalog.lake.cache-enabled": "false",
    }
    (build,) = (each for each in builds() if (each.spark, each.scala) == (LINE.spark, LINE.scala))
    # what else they need, Spark has in other versions, which have to come first
    jars = [str(jar) for jar in format_jars(build) if jar.name.startswith(("delta-", "iceberg-"))]
    with serving(folder, {**confs, CLASS_PATH_KEY: os.pathsep.join(jars)}) as server:
        home = folder / "project"
        home.mkdir()
        built = project(home, FILES, method="thrift", port=server.port)
        built.run("build")
        (home / "seeds" / "people.csv").write_text("id,name\n1,ann\n2,bob\n3,cyn\n")
        others = {"from": 500, "to": 1500, "run": 2, "column": ", id % 3 as new"}
        built.run("build", "--vars", json.dumps(others))
        yield built


def shown(of: Project, query: str) -> list[tuple[object, ...]]:
    return rows_shown(of.run("show", "--inline", query, *AS_JSON))


def test_rows_are_merged_in_both_formats(built_twice: Project) -> None:
    for table in ("orders", "events"):
        query = "select run, count(*) as n from {{ ref('" + table + "') }} group by run order by run"
        assert shown(built_twice, query) == [(1, 500), (2, 1000)]
    assert shown(built_twice, "select count(new) as n from {{ ref('events') }}") == [(1000,)]


def test_a_model_joins_tables_of_both_catalogs(built_twice: Project) -> None:
    # of 1,500 numbers, those that leave 1 and 3 when divided by seven
    query = "select run, n from {{ ref('totals') }} order by run"
    expected = [sum(each % 7 in (1, 3) for each in ids) for ids in (range(500), range(500, 1500))]
    assert shown(built_twice, query) == [(1, expected[0]), (2, expected[1])]


def test_a_snapshot_keeps_its_history(built_twice: Project) -> None:
    query = "select id, name, dbt_valid_to is null as is_last from {{ ref('history') }} order by id, name"
    assert shown(built_twice, query) == [
        (1, "ann", True),
        (2, "ben", False),
        (2, "bob", True),
        (3, "cyn", True),
    ]


def test_docs_have_the_tables_of_both_catalogs(built_twice: Project) -> None:
    built_twice.run("docs", "generate")
    nodes = json.loads((built_twice.folder / "target" / "catalog.json").read_text())["nodes"]
    assert nodes["model.shop.events"]["metadata"]["database"] == "lake"
    assert {
        "model.shop.orders",
        "model.shop.totals",
        "snapshot.shop.history",
        "seed.shop.people",
    } <= nodes.keys()
