"""Columns whose names change their case from run to run, in Delta Lake and in Iceberg: they are the same to Spark."""

import pytest
import yaml
from format_projects import of_each_format, passed

KINDS = ("append", "merge", "delete+insert")
CHANGES = ("ignore", "append_new_columns", "sync_all_columns", "fail")
ROWS = (
    "select {{ var('id', 'id') }}, id * 10 as `{{ var('name', 'a-b') }}` from range({{ var('from', 0) }}, 4)"
)
MAPPED = "tblproperties={'delta.columnMapping.mode': 'name'}"
SNAPSHOT = (
    "{{% snapshot {name} %}}{{{{ config(target_schema='shop', unique_key='id', strategy='check', check_cols={columns}) }}}} "
    "select id, 'new' as {{{{ var('status', 'Status') }}}} from range(2) {{% endsnapshot %}}"
)


def model(kind, change):
    configs = f"incremental_strategy='{kind}', on_schema_change='{change}', unique_key='id'"
    return f"{{{{ config(materialized='incremental', {configs}, {MAPPED}) }}}} {ROWS}"


MODELS = {f"{kind}_{change}".replace("+", "_"): model(kind, change) for kind in KINDS for change in CHANGES}
FILES = {
    **{f"models/{name}.sql": text for name, text in MODELS.items()},
    "models/widened.sql": "{{ config(materialized='incremental', incremental_strategy='append', "
    "on_schema_change='sync_all_columns', tblproperties={'delta.enableTypeWidening': 'true'}) }} "
    "select cast(1 as {{ var('type') }}) as `{{ var('name', 'a-b') }}`",
    "snapshots/all_columns.sql": SNAPSHOT.format(name="all_columns", columns="'all'"),
    "snapshots/some_columns.sql": SNAPSHOT.format(name="some_columns", columns="['status']"),
}


# Delta Lake 3.3 widens these only, and Iceberg has no smaller ones
TYPES = {"delta": ("smallint", "int"), "iceberg": ("int", "bigint")}


@pytest.fixture(scope="module", params=of_each_format())
def shop(formats, request):
    """All built, and once more with names in another case."""
    with formats.project(request.param, FILES) as process:
        narrow, wide = TYPES[process.format]
        passed(process, "build", type=narrow)
        passed(process, "build", id="id as ID", name="A-b", status="STATUS", type=wide, **{"from": 2})
        yield process


@pytest.mark.parametrize("name", MODELS)
def test_a_column_in_another_case_keeps_its_values(shop, name):
    rows = shop.rows(f"select id, `a-b` from shop.{name} order by id")
    twice = [(2, 20), (2, 20), (3, 30), (3, 30)]
    assert rows == [(0, 0), (1, 10), *(twice if name.startswith("append") else twice[::2])]
    assert len(shop.rows(f"select * from shop.{name}")[0]) == 2


def test_a_type_is_changed_of_a_column_whose_name_needs_quotes(shop):
    assert shop.rows("select typeof(`a-b`) from shop.widened") == [(TYPES[shop.format][1],)] * 2


@pytest.mark.parametrize("name", ["all_columns", "some_columns"])
def test_a_snapshot_makes_no_version_of_rows_that_are_as_they_were(shop, name):
    assert shop.rows(f"select id, status from shop.{name} order by id") == [(0, "new"), (1, "new")]


@pytest.fixture(scope="module", params=of_each_format())
def quoting(formats, request):
    """Tables whose names need quotes."""
    config = "config(alias='{}', materialized='incremental', on_schema_change='append_new_columns')"
    snapshot = "target_schema='shop', alias='2025', unique_key='id', strategy='check', check_cols=['id']"
    files = {
        "models/model.sql": f"{{{{ {config.format('2024')} }}}} select 1 as id {{{{ var('more', '') }}}}",
        "snapshots/snap.sql": f"{{% snapshot snap %}}{{{{ config({snapshot}) }}}} select 1 as id {{% endsnapshot %}}",
        "models/wide.sql": f"{{{{ {config.format('wide')} }}}} select 1 as id {{{{ var('more', '') }}}}",
        "seeds/seed.csv": "id\n1\n",
    }
    with formats.project(request.param, files) as process:
        (process.folder / "seeds" / "properties.yml").write_text(
            "seeds: [{name: seed, config: {alias: '2026'}}]"
        )
        file = process.folder / "dbt_project.yml"
        file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"quoting": {"identifier": True}}))
        yield process


def test_a_table_whose_name_needs_quotes_is_changed(quoting):
    passed(quoting, "build")
    passed(quoting, "build", "--exclude", "wide", more=", 2 as n")
    assert sorted(quoting.rows("select id, n from shop.`2024`"), key=str) == [(1, 2), (1, None)]
    for name in ("2025", "2026"):
        assert quoting.rows(f"select id from shop.`{name}`") == [(1,)]


def test_a_struct_of_many_fields_is_a_new_column(quoting):
    """Spark writes 25 of them into a type's text."""
    fields = ", ".join(f"'f{at}', {at}" for at in range(30))
    passed(quoting, "run", "-s", "wide", "--full-refresh")
    for _ in range(2):
        passed(quoting, "run", "-s", "wide", more=f", named_struct({fields}) as payload")
    assert quoting.rows("select payload.f29 from shop.wide where payload is not null") == [(29,)] * 2
