"""Macros of a project that take the place of the adapter's, on tables in Delta Lake and in Iceberg."""

import pytest
from format_projects import of_each_format, passed

MERGE = """
{% macro spark__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) %}
    merge into {{ target }} as DBT_INTERNAL_DEST using {{ source }} as DBT_INTERNAL_SOURCE
    on DBT_INTERNAL_DEST.{{ unique_key }} = DBT_INTERNAL_SOURCE.{{ unique_key }}
    when matched then update set *
    when not matched then insert *
    when not matched by source then delete
{% endmacro %}
"""
# without dbt's batches, as a project's own strategy is by default
MICROBATCH = """
{% macro get_incremental_microbatch_sql(arg_dict) %}
    insert into {{ arg_dict['target_relation'] }} select id, ts from {{ arg_dict['temp_relation'] }} where id > 1
{% endmacro %}
"""
FILES = {
    "macros/merge.sql": MERGE,
    "macros/microbatch.sql": MICROBATCH,
    "models/merged.sql": "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }} "
    "select id from range({{ var('from', 0) }}, 4)",
    "models/batched.sql": "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='ts', "
    "begin='2026-01-01', batch_size='day') }} select id, timestamp'2026-01-01 00:00:00' as ts from range(4)",
}


@pytest.fixture(scope="module", params=of_each_format())
def shop(formats, request):
    with formats.project(request.param, FILES) as process:
        passed(process, "run")
        passed(process, "run", **{"from": 2})
        yield process


def test_a_merge_of_the_project_deletes_what_its_source_lacks(shop):
    assert shop.rows("select id from shop.merged order by id") == [(2,), (3,)]


def test_a_microbatch_of_the_project_needs_no_batches(shop):
    assert shop.rows("select count(*), count_if(id > 1) from shop.batched") == [(6, 4)]
