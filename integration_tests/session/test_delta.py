"""A project whose tables are in Delta Lake, by `file_format: delta` alone."""

import json

import pytest
from projects import OneProcess, dbt, write_project

from dbt.adapters.adaptive_spark.spark.installation import installed_line, spark_home
from dbt.adapters.adaptive_spark.spark.table_formats import DELTA

LINE = installed_line(spark_home())
needs_release = pytest.mark.skipif(
    LINE not in DELTA.releases, reason=f"Delta Lake has no release for {LINE}."
)
FILES = {
    "models/orders.sql": "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }} "
    "select id, id % 7 as status, concat('n', id) as note, {{ var('run', 1) }} as run "
    "from range({{ var('from', 0) }}, {{ var('to', 1000) }})",
    "models/late.sql": "{{ config(materialized='table') }} select o.id, p.name from {{ ref('orders') }} o "
    "join {{ ref('people') }} p on o.id = p.id where o.note like '%1%' and o.status > 0",
    "seeds/people.csv": "id,name\n1,ann\n2,ben\n",
    "snapshots/history.sql": "{% snapshot history %}{{ config(target_schema='shop', unique_key='id', strategy='check', "
    "check_cols=['name']) }} select * from {{ ref('people') }}{% endsnapshot %}",
}
IN_DELTA = {"+file_format": "delta"}


def write(folder):
    write_project(folder, FILES, threads=2, models=IN_DELTA, seeds=IN_DELTA, snapshots=IN_DELTA)
    return folder


def shown(process, query):
    ended = process.dbt(
        "show", "--inline", query, "--limit", "100", "--output", "json", "--log-format", "json"
    )
    said = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    (rows,) = [json.loads(each["data"]["preview"]) for each in said if "preview" in each["data"]]
    return [tuple(row.values()) for row in rows]


@pytest.fixture(scope="module")
def built_twice(tmp_path_factory):
    """The process that has built it, and what it said of the first build."""
    folder = write(tmp_path_factory.mktemp("delta"))
    with OneProcess(folder) as process:
        first = process.dbt("build")
        assert first.returncode == 0, first.stdout
        (folder / "seeds" / "people.csv").write_text("id,name\n1,ann\n2,bob\n3,cy\n")
        second = process.dbt("build", "--vars", "{from: 500, to: 1500, run: 2}")
        assert second.returncode == 0, second.stdout
        yield process, first.stdout


@needs_release
def test_dbt_says_which_release_it_takes(built_twice):
    _, said = built_twice
    assert f"Delta Lake comes with {DELTA.releases[LINE]}, which Spark fetches once." in said


@needs_release
def test_rows_are_merged_by_their_key(built_twice):
    process, _ = built_twice
    assert shown(process, "select run, count(*) from shop.orders group by run order by run") == [
        (1, 500),
        (2, 1000),
    ]
    assert shown(process, "select id, name from shop.late") == [(1, "ann")]


@needs_release
def test_a_snapshot_keeps_what_was(built_twice):
    process, _ = built_twice
    rows = shown(process, "select id, name, dbt_valid_to is null from shop.history order by id, name")
    assert rows == [(1, "ann", True), (2, "ben", False), (2, "bob", True), (3, "cy", True)]


@needs_release
def test_tables_are_deltas(built_twice):
    process, _ = built_twice
    for table in ("orders", "late", "people", "history"):
        found = shown(process, f"select distinct provider from adaptive_catalog('shop', '{table}')")
        assert found == [("delta",)], table


@pytest.mark.skipif(LINE in DELTA.releases, reason=f"Delta Lake has a release for {LINE}.")
def test_a_spark_without_a_release_says_so_before_the_first_model(tmp_path):
    ended = dbt(write(tmp_path), "build")
    assert ended.returncode != 0
    before, _, _ = ended.stdout.partition(" START ")
    assert f"file_format delta needs Delta Lake, which has no release for {LINE}; " in before
