"""Snapshots in Delta Lake and in Iceberg: both strategies, deleted rows, keys of several columns, columns that come and
go.
"""

import pytest
from format_projects import failed, of_each_format, passed

STRATEGIES = {"check": "check_cols='all'", "timestamp": "updated_at='at'"}
DELETES = ("ignore", "invalidate", "new_record")
QUERY = "select * from {{ ref('people') }}"
PEOPLE = "id,part,name,at\n1,a,ann,2026-01-01\n2,a,ben,2026-01-01\n3,a,cy,2026-01-01\n"
LATER = "id,part,name,at\n1,a,ann,2026-01-01\n2,a,bob,2026-02-01\n4,a,dan,2026-02-01\n"


def snapshot(name, query=QUERY, **configs):
    arguments = ", ".join(f"{key}={value!r}" for key, value in configs.items())
    return f"{{% snapshot {name} %}}{{{{ config(target_schema='shop', {arguments}) }}}} {query} {{% endsnapshot %}}"


def of(strategy, hard_deletes):
    of_strategy = {"check_cols": "all"} if strategy == "check" else {"updated_at": "at"}
    return snapshot(
        f"{strategy}_{hard_deletes}",
        unique_key="id",
        strategy=strategy,
        hard_deletes=hard_deletes,
        **of_strategy,
    )


COLUMNS = "select id, part{{ var('columns', ', name as `old-name`') }} from {{ ref('people') }}"
FILES = {
    "seeds/people.csv": PEOPLE,
    **{f"snapshots/{s}_{d}.sql": of(s, d) for s in STRATEGIES for d in DELETES},
    "snapshots/of_keys.sql": snapshot(
        "of_keys", unique_key=["id", "part"], strategy="check", check_cols=["name"]
    ),
    "snapshots/changing.sql": snapshot(
        "changing", COLUMNS, unique_key="id", strategy="check", check_cols="all"
    ),
    "snapshots/in_case.sql": snapshot(
        "in_case",
        "select id, part, name as {{ var('case', 'name') }} from {{ ref('people') }}",
        unique_key="id",
        strategy="check",
        check_cols=["part"],
        hard_deletes="new_record",
    ),
    "snapshots/dated.sql": snapshot(
        "dated",
        unique_key="id",
        strategy="timestamp",
        updated_at="at",
        dbt_valid_to_current="to_date('9999-12-31')",
        snapshot_meta_column_names={"dbt_valid_to": "until"},
    ),
}


@pytest.fixture(scope="module", params=of_each_format())
def shop(formats, request):
    """Snapshots of three people, and of what they are later: 1 as before, 2 renamed, 3 gone, 4 new."""
    with formats.project(request.param, FILES) as process:
        passed(process, "build")
        (process.folder / "seeds" / "people.csv").write_text(LATER)
        passed(process, "build", columns=", name as `new-name`", case="Name")
        # nothing has changed since
        passed(process, "snapshot", "--exclude", "changing")
        yield process


UNTIL_NOW = [(1, "ann", True), (2, "ben", False), (2, "bob", True), (4, "dan", True)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_that_are_gone_stay_or_end(shop, strategy):
    query = "select id, name, dbt_valid_to is null from shop.{} order by id, dbt_valid_from"
    assert shop.rows(query.format(f"{strategy}_ignore")) == sorted([*UNTIL_NOW, (3, "cy", True)])
    assert shop.rows(query.format(f"{strategy}_invalidate")) == sorted([*UNTIL_NOW, (3, "cy", False)])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rows_that_are_gone_get_a_record(shop, strategy):
    rows = shop.rows(f"select id, name, dbt_valid_to is null, dbt_is_deleted from shop.{strategy}_new_record")
    gone = [(3, "cy", False, "False"), (3, "cy", True, "True")]
    assert sorted(rows) == sorted([*((*row, "False") for row in UNTIL_NOW), *gone])


def test_the_record_of_a_gone_row_has_the_values_of_columns_in_another_case(shop):
    rows = shop.rows("select name, dbt_valid_to is null, dbt_is_deleted from shop.in_case where id = 3")
    assert sorted(rows) == [("cy", False, "False"), ("cy", True, "True")]


def test_a_key_of_several_columns_adds_no_columns(shop):
    rows = shop.rows("select * from shop.of_keys where id = 2 order by dbt_valid_from")
    assert [row[:3] for row in rows] == [(2, "a", "ben"), (2, "a", "bob")]
    assert {len(row) for row in rows} == {8}


def test_a_new_column_is_added_and_a_lost_one_is_null(shop):
    columns = "id, `old-name`, `new-name`, dbt_valid_to is null"
    assert set(shop.rows(f"select {columns} from shop.changing where id < 4")) == {
        (1, "ann", None, False),
        (1, None, "ann", True),
        (2, "ben", None, False),
        (2, None, "bob", True),
        (3, "cy", None, True),
    }


def test_an_end_of_time_stands_for_null(shop):
    rows = shop.rows("select id, name, cast(until as string) from shop.dated where id = 2 order by name")
    assert [(id_, name, until[:4]) for id_, name, until in rows] == [(2, "ben", "2026"), (2, "bob", "9999")]


def test_no_view_is_left_in_the_schema(shop):
    names = {name for (name,) in shop.rows("select distinct table_name from adaptive_catalog('shop')")}
    assert {"people", "of_keys"} <= names
    assert not [name for name in names if "tmp" in name]


def test_a_history_that_the_catalog_has_lost_is_not_replaced(shop):
    place = f"{shop.folder}/placed"
    arguments = {"unique_key": "id", "strategy": "check", "check_cols": "all", "location_root": place}
    (shop.folder / "snapshots" / "placed.sql").write_text(snapshot("placed", **arguments))
    passed(shop, "snapshot", "-s", "placed")
    shop.rows("drop table shop.placed")
    if shop.format == "iceberg":  # a new table there has files of its own
        passed(shop, "snapshot", "-s", "placed")
    else:
        assert "shop.placed" in failed(shop, "snapshot", "-s", "placed")
        shop.rows(f"create table shop.placed using delta location '{place}/placed'")
        assert len(shop.rows("describe history shop.placed")) == 1
    assert shop.rows("select count(*) from shop.placed") == [(3,)]


def test_a_table_in_another_format_is_refused(shop):
    file = shop.folder / "snapshots" / "changing.sql"
    text = file.read_text()
    passed(shop, "run-operation", "make_parquet")
    file.write_text(text.replace("snapshot changing", "snapshot parquet_one"))
    said = failed(shop, "snapshot", "-s", "parquet_one")
    assert "is a table in another format than" in said


FILES["macros/make_parquet.sql"] = (
    "{% macro make_parquet() %}{% do run_query('create table shop.parquet_one using parquet as select 1 as id') %}{% endmacro %}"
)
