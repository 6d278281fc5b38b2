"""Projects whose tables are in Delta Lake or in Iceberg, by `file_format` alone."""

import json

import pytest
from format_projects import Processes, of_each_format, passed
from programs import CONNECT, python
from projects import dbt, write_project

from dbt.adapters.adaptive_spark.spark.fetched_jars import fetched_jars, ivy_folder
from dbt.adapters.adaptive_spark.spark.installation import installed_line, spark_home
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

LINE = installed_line(spark_home())
MERGED = "materialized='incremental', incremental_strategy='merge', unique_key='id'"
NUMBERS = "from range({{ var('from', 0) }}, {{ var('to', 1000) }})"
FILES = {
    "models/orders.sql": "{{ config(" + MERGED + ") }} "
    "select id, id % 7 as status, concat('n', id) as note, {{ var('run', 1) }} as run " + NUMBERS,
    "models/events.sql": "{{ config(materialized='incremental', incremental_strategy='append', "
    "on_schema_change='sync_all_columns', tblproperties=var('properties')) }} "
    "select id, {{ var('column', 'id % 2 as old') }} " + NUMBERS,
    "models/late.sql": "{{ config(materialized='table') }} select o.id, p.name from {{ ref('orders') }} o "
    "join {{ ref('people') }} p on o.id = p.id where o.note like '%1%' and o.status > 0",
    "models/plain.sql": "{{ config(materialized='table', file_format='parquet') }} "
    "select name, {{ var('run', 1) }} as run from {{ ref('people') }}",
    "models/seen.sql": "{{ config(materialized='view') }} select * from {{ ref('late') }}",
    "macros/say_jars.sql": "{% macro say_jars() %}{% do log(run_query('set spark.jars').rows[0][1], info=true) %}"
    "{% endmacro %}",
    "seeds/people.csv": "id,name\n1,ann\n2,ben\n",
    "snapshots/history.sql": "{% snapshot history %}{{ config(target_schema='shop', unique_key='id', strategy='check', "
    "check_cols=['name']) }} select * from {{ ref('people') }}{% endsnapshot %}",
}
# Delta Lake drops columns only where they are mapped.
PROPERTIES = {"delta": {"delta.columnMapping.mode": "name"}, "iceberg": {"write.format.default": "parquet"}}


@pytest.fixture(scope="module", params=of_each_format())
def built_twice(tmp_path_factory, request):
    """The process that has built it, and what it said of the first build."""
    properties = PROPERTIES[request.param]
    # only a start says which release it takes
    with Processes(tmp_path_factory.mktemp) as own, own.project(request.param, FILES) as process:
        first = passed(process, "build", properties=properties)
        (process.folder / "seeds" / "people.csv").write_text("id,name\n1,ann\n2,bob\n3,cy\n")
        others = {"from": 500, "to": 1500, "run": 2, "column": "id % 3 as new"}
        passed(process, "build", properties=properties, **others)
        yield process, first


def test_dbt_says_which_release_it_takes(built_twice):
    process, said = built_twice
    taken = FORMATS[process.format]
    assert f"{taken.title} comes with {taken.releases[LINE]}" in said


def test_executors_get_its_jars_and_the_next_start_resolves_nothing(built_twice):
    process, _ = built_twice
    taken = FORMATS[process.format]
    said = passed(process, "run-operation", "say_jars", properties={})
    assert "adaptive-spark_" in said
    noted = fetched_jars(ivy_folder({}, LINE), taken.releases[LINE])
    assert any(taken.jar.search(jar) for jar in noted) and all(jar in said for jar in noted), (noted, said)


@pytest.mark.parametrize("name", of_each_format())
def test_a_release_that_cannot_be_fetched_is_named(confs, tmp_path, name):
    if LINE not in FORMATS[name].releases:
        pytest.skip(f"{FORMATS[name].title} has no release for {LINE}.")
    settings = tmp_path / "ivysettings.xml"
    settings.write_text("<ivysettings/>")
    program = CONNECT.replace("CommandSessions(profile)", f"CommandSessions(profile, [{name!r}])")
    places = {"spark.jars.ivy": str(tmp_path / "ivy"), "spark.jars.ivySettings": str(settings)}
    ended = python(program, {**confs, "spark.sql.catalogImplementation": "hive", **places})
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith(
        f"FailedToConnectError: Java ended before Spark was up, which had {FORMATS[name].releases[LINE]} to fetch"
    ), ended.stderr[-2000:]


def test_rows_are_merged_by_their_key(built_twice):
    process, _ = built_twice
    assert process.rows("select run, count(*) from shop.orders group by run order by run") == [
        (1, 500),
        (2, 1000),
    ]
    assert process.rows("select id, name from shop.seen") == [(1, "ann")]


def test_a_table_in_parquet_is_made_anew_beside_them(built_twice):
    process, _ = built_twice
    assert process.rows("select run, count(*) from shop.plain group by run") == [(2, 3)]


def test_columns_come_and_go_with_the_model(built_twice):
    process, _ = built_twice
    assert process.rows("select count(*), count(new), max(new) from shop.events") == [(2000, 1000, 2)]
    assert process.rows("select * from shop.events where id = 2") == [(2, None)]


def test_a_snapshot_keeps_what_was(built_twice):
    process, _ = built_twice
    rows = process.rows("select id, name, dbt_valid_to is null from shop.history order by id, name")
    assert rows == [(1, "ann", True), (2, "ben", False), (2, "bob", True), (3, "cy", True)]


def test_tables_are_in_the_format(built_twice):
    process, _ = built_twice
    for table in ("orders", "events", "late", "people", "history"):
        found = process.rows(f"select distinct provider from adaptive_catalog('shop', '{table}')")
        assert found == [(process.format,)], table


def test_docs_have_the_tables_of_all_formats_and_their_numbers(built_twice):
    process, _ = built_twice
    said = passed(process, "docs", "generate", properties={})
    assert "one by one" not in said
    nodes = json.loads((process.folder / "target" / "catalog.json").read_text())["nodes"]
    orders, plain, seen = (nodes[f"model.shop.{name}"] for name in ("orders", "plain", "seen"))
    assert list(orders["columns"]) == ["id", "status", "note", "run"]
    assert orders["columns"]["note"]["type"] == "string"
    assert orders["metadata"]["type"] == "table"
    # Delta Lake tells rows only to who counts them
    numbers = {"delta": {"bytes"}, "iceberg": {"bytes", "rows"}}[process.format]
    assert {"bytes", "rows"} & orders["stats"].keys() == numbers
    assert 5_000 < orders["stats"]["bytes"]["value"] < 100_000
    assert orders["stats"]["bytes"]["description"] == "As the table's format says"
    if "rows" in numbers:
        assert orders["stats"]["rows"]["value"] == 1500
    assert list(plain["columns"]) == ["name", "run"]
    assert plain["stats"]["bytes"]["value"] > 100
    assert (seen["metadata"]["type"], list(seen["columns"])) == ("view", ["id", "name"])
    assert {
        "snapshot.shop.history",
        "seed.shop.people",
        "model.shop.events",
        "model.shop.late",
    } <= nodes.keys()


def test_a_format_that_jinja_puts_together_is_there(tmp_path):
    found = [each for each in FORMATS.values() if LINE in each.releases]
    if not found:
        pytest.skip(f"No table format has a release for {LINE}.")
    model = "{{ config(materialized='table', file_format=var('format')) }} select 1 as id"
    write_project(tmp_path, {"models/one.sql": model}, threads=1)
    ended = dbt(tmp_path, "run", "--vars", json.dumps({"format": found[-1].name}))
    assert ended.returncode == 0, ended.stdout
    assert f"{found[-1].title} comes with {found[-1].releases[LINE]}" in ended.stdout


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_spark_without_a_release_says_so_before_the_first_model(tmp_path, name):
    title = FORMATS[name].title
    if LINE in FORMATS[name].releases:
        pytest.skip(f"{title} has a release for {LINE}.")
    write_project(tmp_path, FILES, threads=2, models={"+file_format": name})
    ended = dbt(tmp_path, "build", "--vars", '{"properties": {}}')
    assert ended.returncode != 0
    before, _, _ = ended.stdout.partition(" START ")
    assert f"file_format {name} needs {title}, which has no release for {LINE}; " in before
