"""Incremental models in Delta Lake and in Iceberg: each strategy, and each change of their columns."""

import pytest
from format_projects import failed, of_each_format, passed, versions

NUMBERS = "from range({{ var('from', 0) }}, {{ var('to', 10) }})"
RUN = "{{ var('run', 1) }}"
ROWS = f"select id, id % 2 as p, {RUN} as run, {RUN} as `an-other` {NUMBERS}"
CHANGING = f"select id{{{{ var('columns', ', 1 as kept, 1 as `old-one`') }}}} {NUMBERS}"


def incremental(sql, **configs):
    arguments = ", ".join(f"{name}={value!r}" for name, value in configs.items())
    return f"{{{{ config(materialized='incremental', {arguments}) }}}} {sql}"


def strategy(name, sql=ROWS, **configs):
    return incremental(sql, incremental_strategy=name, **configs)


BATCHES = {"event_time": "ts", "begin": "2026-01-01", "batch_size": "day"}
HOURS = (
    "{{ config(materialized='table', event_time='ts') }} select id, "
    f"timestamp'2026-01-01 00:00:00Z' + make_interval(0, 0, 0, 0, cast(id as int)) as ts, {RUN} as run "
    "from range(72) {% if var('run', 1) != 1 %} where id % 2 = 0 {% endif %}"
)
DELETES = {
    "delta.enableDeletionVectors": "true",
    **{f"write.{command}.mode": "merge-on-read" for command in ("merge", "update", "delete")},
}
FILES = {
    "models/merge_key.sql": strategy("merge", unique_key="id"),
    "models/merge_update.sql": strategy("merge", unique_key=["id", "p"], merge_update_columns=["an-other"]),
    "models/merge_exclude.sql": strategy(
        "merge", unique_key="id", merge_exclude_columns=["an-other", "ID", "not_there"]
    ),
    "models/merge_where.sql": strategy(
        "merge",
        unique_key="id",
        incremental_predicates=["DBT_INTERNAL_DEST.p = 1 or DBT_INTERNAL_DEST.id = 6"],
    ),
    "models/merge_none.sql": strategy("merge"),
    # Delta Lake's are beside the data, as Iceberg's are, which rewrites files by default
    "models/merge_deletes.sql": strategy("merge", unique_key="id", tblproperties=DELETES),
    "models/delete_insert_deletes.sql": strategy("delete+insert", unique_key="p", tblproperties=DELETES),
    "models/delete_insert.sql": strategy("delete+insert", ROWS + " union all " + ROWS, unique_key="p"),
    "models/delete_insert_where.sql": strategy(
        "delete+insert", unique_key=["id", "p"], incremental_predicates=["p = 1"]
    ),
    # rows of its own table, which are gone where their deletion is a statement of its own
    "models/delete_insert_self.sql": strategy(
        "delete+insert",
        "select 1L as id, 1L as n {% if is_incremental() %} union all select id, n + 1 from {{ this }} {% endif %}",
        unique_key="id",
    ),
    "models/overwrite_parts.sql": strategy(
        "insert_overwrite", ROWS + "{% if is_incremental() %} where id % 2 = 1{% endif %}", partition_by="p"
    ),
    "models/other_parts.sql": "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', "
    f"partition_by=var('parts', 'p')) }}}} {ROWS}",
    "models/fewer_parts.sql": "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', "
    f"partition_by=var('parts', ['p', 'run'])) }}}} {ROWS}",
    "models/overwrite_all.sql": strategy("insert_overwrite"),
    "models/appended.sql": strategy("append"),
    # another table's name begins with its own
    "models/batches_hours.sql": HOURS,
    "models/batches.sql": strategy("microbatch", "select * from {{ ref('batches_hours') }}", **BATCHES),
    "models/batches_of_parts.sql": strategy(
        "microbatch",
        "select *, id % 2 as p from {{ ref('batches_hours') }}",
        partition_by="{{ 'days(ts)' if var('format') == 'iceberg' else 'p' }}",
        **BATCHES,
    ),
    "models/mode_after.sql": (
        "-- depends_on: {{ ref('overwrite_parts') }}\n{{ config(materialized='table') }}"
        "{% set found = run_query('set spark.sql.sources.partitionOverwriteMode') %}"
        " select '{{ found.rows[0][1] if execute }}' as mode"
    ),
    **{
        f"models/{kind}_{name}.sql": strategy(kind, CHANGING, on_schema_change=name, unique_key="id")
        for kind in ("append", "merge", "delete+insert")
        for name in ("ignore", "fail", "append_new_columns", "sync_all_columns")
    },
    **{
        f"models/small_{name}.sql": strategy(
            "append",
            "select cast(1 as smallint) as n, array(named_struct('tinyint', cast(1 as tinyint))) as parts",
            on_schema_change=name,
        )
        for name in ("fail", "sync_all_columns")
    },
    "models/unmapped.sql": strategy("append", CHANGING, on_schema_change="sync_all_columns"),
}
CHANGES = ["append_*", "merge_ignore", "merge_fail", "merge_append*", "merge_sync*", "delete+insert_*"]
FILES = {path.replace("+", "_"): text for path, text in FILES.items()}
MICROBATCH = ("--event-time-start", "2026-01-01", "--event-time-end", "2026-01-04")


def write(name):
    """The models' files. Delta Lake drops a column only where columns are mapped, and has no transforms."""
    mapped = "tblproperties={'delta.columnMapping.mode': 'name'}, "
    texts = {}
    for path, text in FILES.items():
        text = text.replace(
            "{{ 'days(ts)' if var('format') == 'iceberg' else 'p' }}",
            "days(ts)" if name == "iceberg" else "p",
        )
        if name == "delta" and path.endswith("_sync_all_columns.sql"):
            text = text.replace("config(", "config(" + mapped)
        texts[path] = text
    return texts


@pytest.fixture(scope="module", params=of_each_format())
def shop(formats, request):
    """All models, run twice; the second run has the rows 5 to 15 and, of changing models, nothing yet."""
    with formats.project(request.param, write(request.param)) as process:
        passed(process, "run", "--exclude", "batches_hours", "batches", "batches_of_parts")
        passed(
            process,
            "run",
            "-s",
            "merge_*",
            "delete_insert*",
            "overwrite_*",
            "appended",
            "--exclude",
            "*_ignore",
            "*_fail",
            "*_columns",
            run=2,
            **{"from": 5, "to": 15},
        )
        yield process


def by_run(process, table, column="run"):
    return process.rows(f"select `{column}`, count(*) from shop.{table} group by 1 order by 1")


def test_merge_updates_the_rows_of_a_key_and_inserts_the_others(shop):
    assert by_run(shop, "merge_key") == [(1, 5), (2, 10)]


def test_rows_are_replaced_by_deletes_beside_the_data(shop):
    assert by_run(shop, "merge_deletes") == [(1, 5), (2, 10)]
    assert by_run(shop, "delete_insert_deletes") == [(2, 10)]
    if shop.format == "iceberg":
        assert shop.rows("select count(*) > 0 from shop.merge_deletes.delete_files") == [(True,)]
    else:
        (row,) = shop.rows("describe history shop.merge_deletes limit 1")
        assert "numTargetDeletionVectorsAdded" in str(row)


def test_merge_updates_the_columns_that_are_named(shop):
    assert by_run(shop, "merge_update") == [(1, 10), (2, 5)]
    assert by_run(shop, "merge_update", "an-other") == [(1, 5), (2, 10)]


def test_merge_leaves_the_columns_that_are_excluded(shop):
    assert by_run(shop, "merge_exclude") == [(1, 5), (2, 10)]
    assert by_run(shop, "merge_exclude", "an-other") == [(1, 10), (2, 5)]


def test_merge_looks_only_at_rows_of_its_predicates(shop):
    # 5, 7, 9 and 6 are updated, and 8 stands there twice
    assert by_run(shop, "merge_where") == [(1, 6), (2, 10)]


def test_merge_without_a_key_inserts_all(shop):
    assert by_run(shop, "merge_none") == [(1, 10), (2, 10)]


def test_delete_insert_replaces_all_rows_of_a_key_by_all_of_them(shop):
    assert by_run(shop, "delete_insert") == [(2, 20)]


def test_delete_insert_deletes_only_rows_of_its_predicates(shop):
    # 5, 7 and 9 are replaced; 6 and 8 stand there twice
    assert by_run(shop, "delete_insert_where") == [(1, 7), (2, 10)]


def test_delete_insert_reads_its_own_table_as_it_was(shop):
    assert sorted(shop.rows("select id, n from shop.delete_insert_self")) == [(1, 1), (1, 2)]


def test_insert_overwrite_replaces_the_partitions_that_have_rows(shop):
    assert by_run(shop, "overwrite_parts") == [(1, 5), (2, 5)]


def test_insert_overwrite_refuses_a_table_with_other_partitions(shop):
    passed(shop, "run", "-s", "other_parts")
    said = failed(shop, "run", "-s", "other_parts", parts="id", run=2, **{"from": 5, "to": 6})
    assert "is partitioned by p, and the model by `id` (models/other_parts.sql)" in said
    assert by_run(shop, "other_parts") == [(1, 10)]


def test_insert_overwrite_refuses_a_table_with_more_partitions(shop):
    passed(shop, "run", "-s", "fewer_parts")
    said = failed(shop, "run", "-s", "fewer_parts", parts="p", run=2, **{"from": 5, "to": 6})
    assert "is partitioned by p, run, and the model by `p` (models/fewer_parts.sql)" in said
    assert by_run(shop, "fewer_parts") == [(1, 10)]


def test_insert_overwrite_without_partitions_replaces_the_table(shop):
    assert by_run(shop, "overwrite_all") == [(2, 10)]


def test_the_mode_of_overwriting_ends_with_its_model(shop):
    # one thread, and with it one session
    passed(
        shop, "run", "-s", "overwrite_parts", "mode_after", "--threads", "1", run=2, **{"from": 5, "to": 15}
    )
    ((mode,),) = shop.rows("select mode from shop.mode_after")
    assert mode and mode.lower() != "dynamic"


def test_append_adds_rows(shop):
    assert by_run(shop, "appended") == [(1, 10), (2, 10)]


def test_microbatch_replaces_the_times_of_its_batches(shop):
    batches = ("batches", "batches_of_parts")
    passed(shop, "run", "-s", "batches_hours", *batches, *MICROBATCH)
    for table in batches:
        assert by_run(shop, table) == [(1, 72)], table
    passed(shop, "run", "-s", "batches_hours", run=2)
    passed(shop, "run", "-s", *batches, "--event-time-start", "2026-01-02", "--event-time-end", "2026-01-03")
    for table in batches:
        # of the second day, only even hours are left
        assert by_run(shop, table) == [(1, 48), (2, 12)], table


def test_full_refresh_replaces_the_table_and_keeps_its_history(shop):
    passed(shop, "run", "-s", "merge_key", "--full-refresh", run=3)
    assert by_run(shop, "merge_key") == [(3, 10)]
    assert versions(shop, "shop.merge_key") >= 3


@pytest.fixture(scope="module")
def changed(shop):
    """The run after the models have lost a column and got another."""
    columns = ", 2 as kept, 2 as `new-one`"
    models = [
        f"{kind}_{name}"
        for kind in ("append", "merge", "delete_insert")
        for name in ("append_new_columns", "sync_all_columns")
    ]
    passed(shop, "run", "-s", *models, columns=columns, **{"from": 5, "to": 15})
    return shop


@pytest.mark.parametrize(
    ("kind", "counts"), [("append", (20, 10, 10)), ("merge", (15, 10, 10)), ("delete_insert", (15, 5, 10))]
)
def test_new_columns_are_added_and_lost_ones_are_kept(changed, kind, counts):
    table = f"shop.{kind}_append_new_columns"
    assert changed.rows(f"select count(*), count(`old-one`), count(`new-one`) from {table}") == [counts]


@pytest.mark.parametrize(
    ("kind", "counts"), [("append", (20, 10)), ("merge", (15, 10)), ("delete_insert", (15, 10))]
)
def test_columns_are_those_of_the_model(changed, kind, counts):
    table = f"shop.{kind}_sync_all_columns"
    assert changed.rows(f"select count(*), count(`new-one`) from {table}") == [counts]
    assert len(changed.rows(f"select * from {table}")[0]) == 3


@pytest.mark.parametrize("name", ["small_fail", "small_sync_all_columns"])
def test_small_integers_are_those_of_the_table(shop, name):
    for _ in range(2):
        passed(shop, "run", "-s", name)
    assert shop.rows(f"select sum(n), sum(parts[0].tinyint) from shop.{name}") == [(3, 3)]


def test_a_column_is_not_dropped_from_a_delta_table_without_column_mapping(shop):
    columns = ", 3 as `new-one`"
    if shop.format == "iceberg":
        passed(shop, "run", "-s", "unmapped", columns=columns)
        return
    said = failed(shop, "run", "-s", "unmapped", columns=columns)
    assert "Compilation Error in model unmapped" in said
    assert (
        "sync_all_columns drops `kept`, `old-one`, and shop.unmapped has no column mapping. Run ALTER TABLE"
        in said
    )
    assert len(shop.rows("select * from shop.unmapped")[0]) == 3


@pytest.mark.parametrize("kind", ["append", "merge", "delete_insert"])
def test_a_new_column_is_ignored_or_refused(shop, kind):
    columns = ", 1 as kept, 1 as `old-one`, 3 as `new-one`"
    passed(shop, "run", "-s", f"{kind}_ignore", columns=columns, **{"from": 10, "to": 11})
    assert shop.rows(f"select * from shop.{kind}_ignore where id = 10") == [(10, 1, 1)]
    said = failed(shop, "run", "-s", f"{kind}_fail", columns=columns)
    assert "The source and target schemas on this incremental model are out of sync!" in said
