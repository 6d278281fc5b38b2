"""The statements of each strategy, and what they refuse."""

import pytest
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.table.incremental import (
    IncrementalRun,
    check_changes,
    names_table,
    other_partitions,
)
from dbt.adapters.adaptive_spark.table.replacing import idle_exclusions, is_whole_files

COLUMNS = ("id", "Day", "x y")
MODEL = "models/orders.sql"


def run(strategy, format_="delta", found=COLUMNS, batch=None, reads_itself=False, **configs):
    run = IncrementalRun(format_, "t", "new", COLUMNS, found, batch, reads_itself)
    return run.statements(strategy, configs, MODEL)


def merged(**configs):
    (sql,) = run("merge", unique_key="id", **configs)
    return sql


def test_merge_updates_and_inserts_all():
    assert merged() == (
        "merge into t as DBT_INTERNAL_DEST using new as DBT_INTERNAL_SOURCE "
        "on DBT_INTERNAL_SOURCE.`id` = DBT_INTERNAL_DEST.`id`\n"
        "when matched then update set *\n"
        "when not matched then insert *"
    )


def test_conditions_stand_in_parentheses():
    for config in ("predicates", "incremental_predicates"):
        assert " on (a or b) and (c) and DBT_INTERNAL_SOURCE.`id` = " in merged(**{config: ["a or b", "c"]})
    assert " on (a or b) and DBT" in merged(incremental_predicates="a or b")


def test_merge_updates_named_columns():
    set_ = "set DBT_INTERNAL_DEST.{0} = DBT_INTERNAL_SOURCE.{0}\n"
    assert set_.format("`x y`") in merged(merge_update_columns="`x y`")
    assert set_.format("`x y`") in merged(merge_exclude_columns=["ID", "day"])
    assert "when matched" not in merged(merge_exclude_columns=["id", "day", "`x y`"])


def test_merge_names_columns_where_the_new_rows_lack_one():
    (sql,) = run("merge", found=("ID", "x y", "more"), unique_key=["id", "x y"])
    assert "update set DBT_INTERNAL_DEST.`id` = DBT_INTERNAL_SOURCE.`id`, DBT_INTERNAL_DEST.`x y` = " in sql
    assert sql.endswith("insert (`id`, `x y`) values (DBT_INTERNAL_SOURCE.`id`, DBT_INTERNAL_SOURCE.`x y`)")


def test_merge_leaves_a_column_alone_that_the_new_rows_lack():
    (sql,) = run("merge", found=("id", "x y"), unique_key="id", merge_exclude_columns=["id"])
    assert "update set DBT_INTERNAL_DEST.`x y` = DBT_INTERNAL_SOURCE.`x y`\n" in sql


def test_merge_without_a_key_matches_nothing():
    assert " on false\n" in run("merge", incremental_predicates=["a"])[0]


def test_delete_insert_is_one_statement():
    (sql,) = run("delete+insert", unique_key=["id", "day"], incremental_predicates=["day > 3"])
    assert sql == (
        "merge into t as DBT_INTERNAL_DEST using (\n"
        "  select dbt_key_1, dbt_key_2, dbt_row from (\n"
        "    select *, row_number() over (partition by dbt_key_1, dbt_key_2 order by 1) as dbt_number from (\n"
        "      select `id` as dbt_key_1, `day` as dbt_key_2, struct(`id`, `Day`, `x y`) as dbt_new from new\n"
        "    )\n"
        "  ) lateral view explode(if(dbt_number = 1, array(dbt_new, null), array(dbt_new))) as dbt_row\n"
        ") as DBT_INTERNAL_SOURCE on DBT_INTERNAL_DEST.`id` = DBT_INTERNAL_SOURCE.dbt_key_1 and "
        "DBT_INTERNAL_DEST.`day` = DBT_INTERNAL_SOURCE.dbt_key_2 and DBT_INTERNAL_SOURCE.dbt_row is null "
        "and (day > 3)\n"
        "when matched then delete\n"
        "when not matched and DBT_INTERNAL_SOURCE.dbt_row is not null then insert (`id`, `Day`, `x y`) "
        "values (DBT_INTERNAL_SOURCE.dbt_row.`id`, DBT_INTERNAL_SOURCE.dbt_row.`Day`, DBT_INTERNAL_SOURCE.dbt_row.`x y`)"
    )


BATCH = ("2026-01-01 00:00:00+00:00", "2026-01-02 00:00:00+00:00")
CONDITION = f"`day` >= '{BATCH[0]}' and `day` < '{BATCH[1]}'"
ROWS = "select `id`, `Day`, `x y` from new"


def test_a_batch_replaces_its_times_in_one_statement_where_the_format_can():
    said = {"event_time": "day", "batch_size": "day", "batch": BATCH}
    fault = f"A row of the batch has `day` before {BATCH[0]} or not before {BATCH[1]}."
    checked = f"{ROWS} where case when {CONDITION} then true else cast(raise_error('{fault}') as boolean) end"
    assert run("microbatch", **said) == [f"insert into t replace where {CONDITION} {ROWS}"]
    assert run("microbatch", "iceberg", file_format="iceberg", partition_by=["hours(day)"], **said) == [
        f"insert into t replace where {CONDITION} {checked}"
    ]
    assert run("microbatch", "iceberg", file_format="iceberg", **said) == [
        f"delete from t where {CONDITION}",
        f"insert into t {checked}",
    ]
    with pytest.raises(DbtValidationError, match="The model reads its own table"):
        run("microbatch", "iceberg", file_format="iceberg", reads_itself=True, **said)
    assert run("microbatch", None, **said) == []
    with pytest.raises(DbtValidationError, match="event_time: None is not a column: it is not a text"):
        run("microbatch", batch=BATCH)


@pytest.mark.parametrize(
    ("partition_by", "size", "expected"),
    [
        ("days(ts)", "day", True),
        (["p", "day( `TS` )"], "month", True),
        ("days(ts)", "hour", False),
        ("days(other)", "day", False),
        ("ts", "day", False),
        ("bucket(4, ts)", "day", False),
        (None, "day", False),
    ],
)
def test_files_hold_one_batch_where_partitions_are_as_fine(partition_by, size, expected):
    configs = {"file_format": "iceberg", "partition_by": partition_by, "batch_size": size}
    assert is_whole_files(configs, "`ts`") is expected
    assert not is_whole_files({**configs, "file_format": "delta"}, "`ts`")


def test_others_are_written_by_position_or_by_name():
    assert run("append") == run("append", None) == run("insert_overwrite", None) == []
    assert run("append", found=("x y", "id")) == ["insert into t (`id`, `x y`) select `id`, `x y` from new"]
    assert run("append", "iceberg", found=("x y", "id")) == [
        "insert into t select `id`, null as `Day`, `x y` from new"
    ]
    assert run("insert_overwrite", found=("id", "day")) == [
        "insert overwrite t select `id`, `Day`, null as `x y` from new"
    ]


@pytest.mark.parametrize("strategy", ["insert_overwrite", "microbatch"])
def test_other_formats_keep_a_column_that_the_new_rows_lack(strategy):
    assert run(strategy, None, found=("id", "day"), partition_by="day") == [
        "insert overwrite table t partition (`day`) select `id`, `Day`, null as `x y` from new"
    ]
    with pytest.raises(
        DbtValidationError, match="The model has lost `x y`, by which its table is partitioned"
    ):
        run(strategy, None, found=("id", "day"), partition_by="`x y`")


def differing(found, partition_by):
    return other_partitions("s.t", found, {"partition_by": partition_by, "file_format": "iceberg"}, MODEL)


def test_partitions_are_the_same_in_whichever_way_they_are_written():
    assert differing(["days(ts)", "bucket(16, `x y`)", "a"], ["A", "day( `ts` )", "bucket(16,`x y`)"]) is None


def test_other_partitions_of_the_table_are_told_of():
    assert differing(["months(ts)"], "days(ts)") == (
        "s.t is partitioned by months(ts), and the model by days(`ts`) (models/orders.sql): insert_overwrite would "
        "replace other rows than those of its partitions. Run it with --full-refresh, or give it the partition_by of the table."
    )
    assert differing([], "a").startswith("s.t is not partitioned, and the model by `a` (")
    assert differing(["a", "b"], "a") is not None


def test_delta_lake_is_told_which_partitions_are_overwritten():
    assert run("insert_overwrite", partition_by=["day"]) == [
        f"insert overwrite t partition (`day`) {ROWS}"
    ], "it would replace all rows of a table with other partitions"
    assert run("insert_overwrite", "iceberg", partition_by=["day"]) == [f"insert overwrite t {ROWS}"]


@pytest.mark.parametrize(
    ("configs", "sentence"),
    [
        (
            {"unique_key": {"a": 1}},
            "unique_key: {'a': 1} is not a column or a list of columns (models/orders.sql).",
        ),
        ({"unique_key": "id)"}, "it has one of .,;()` where no name has it (models/orders.sql)."),
        (
            {"merge_update_columns": "a", "merge_exclude_columns": "b"},
            "exclude each other (models/orders.sql). Keep one.",
        ),
        ({"incremental_predicates": [1]}, "incremental_predicates: [1] is not a list of conditions"),
    ],
)
def test_wrong_configs_are_refused_before_a_run(configs, sentence):
    with pytest.raises(DbtValidationError) as error:
        check_changes({"materialized": "incremental", "incremental_strategy": "merge", **configs}, MODEL)
    assert sentence in str(error.value)
    check_changes({"materialized": "incremental", **configs}, MODEL)


def test_columns_that_the_table_lacks_are_refused():
    with pytest.raises(
        DbtValidationError, match="merge_update_columns: 'z' is not a column of the table"
    ) as error:
        merged(merge_update_columns=["id", "z"])
    assert str(error.value).endswith("It has id, Day, x y.")


def test_columns_to_leave_alone_that_the_table_lacks_are_told_of():
    said = {"merge_exclude_columns": ["loaded_at", "ID", "`z`"]}
    assert "DBT_INTERNAL_DEST.`id` =" not in merged(**said)
    assert idle_exclusions(said, COLUMNS, MODEL) == (
        "merge_exclude_columns: no column of the table is 'loaded_at' or 'z', so that has no effect (models/orders.sql). "
        "It has id, Day, x y."
    )
    assert idle_exclusions({"merge_exclude_columns": ["day", "id.field"]}, COLUMNS, MODEL) is None


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select * from shop.events", True),
        ("select * from SHOP.Events e", True),
        ("select 1 union all (select * from shop.events)", True),
        ("select * from spark_catalog.shop.events", True),
        ("select * from `spark_catalog`.shop.events", True),
        ("select * from shop.events_raw", False),
        ("select * from my_shop.events", False),
        ("select * from lake.shop.events", False),
        ("select * from `a-shop`.events", False),
        ("select * from shop.`events`", True),
        ("select * from shop.events.snapshots", True),
        ("select id as `customer's name` from shop.events where status = 'x'", True),
        ("select id as `a--b` from shop.events", True),
        ("select split(p, r'\\') as y from shop.events where a = 'b'", True),
        ('select * from "shop"."events"', True),
        ("select \"it's\" as note from shop.events where a = 'b'", True),
        ('select "a -- b" as note from shop.events', True),
        ("select r\"it's a\\\" as note from shop.events where a = 'b'", True),
        ("select 'it\\'s of shop.events'", False),
        ("select 1 -- in place of shop.events", False),
        ("select 'of shop.events' as text /* from shop.events */", False),
        ("select 1 -- it's\nfrom shop.events", True),
    ],
)
def test_a_model_reads_its_own_table_where_that_is_the_whole_name(sql, expected):
    assert names_table(sql, "shop.events") is expected


@pytest.mark.parametrize("strategy", ["merge", "delete+insert"])
def test_a_key_that_the_model_or_its_table_lacks_is_told_of(strategy):
    run = IncrementalRun("delta", "shop.orders", "orders__dbt_tmp", ["id", "day"], ["id", "new"])
    with pytest.raises(DbtValidationError) as error:
        run.statements(strategy, {"unique_key": ["ID", "day", "new"]}, MODEL)
    assert str(error.value).endswith(
        "unique_key: the model and its table do not both have 'day' and 'new' (models/orders.sql). Both have id."
    )
