"""Incremental strategies that a table without Delta has: append, insert_overwrite, microbatch."""

import pytest
from dbt.tests.adapter.incremental.test_incremental_microbatch import (
    BaseMicrobatch,
    patch_microbatch_end_time,
)
from dbt.tests.adapter.incremental.test_incremental_on_schema_change import BaseIncrementalOnSchemaChange
from dbt.tests.util import run_dbt

MICROBATCH_INPUT = """
{{ config(materialized='table', event_time='event_time') }}
select 1 as id, timestamp'2020-01-01 00:00:00Z' as event_time
union all
select 2 as id, timestamp'2020-01-02 00:00:00Z' as event_time
union all
select 3 as id, timestamp'2020-01-03 00:00:00Z' as event_time
"""

MICROBATCH = """
{{
    config(
        materialized='incremental',
        incremental_strategy='microbatch',
        unique_key='id',
        event_time='event_time',
        batch_size='day',
        begin=modules.datetime.datetime(2020, 1, 1, 0, 0, 0),
        partition_by=['event_day'],
    )
}}
select *, cast(event_time as date) as event_day from {{ ref('input_model') }}
"""

FIRST_RUN_THEN_SECOND = """
{% if not is_incremental() %}
select cast(1 as bigint) as id, 'hello' as message, 'a' as part
union all
select cast(2 as bigint) as id, 'goodbye' as message, 'b' as part
{% else %}
select cast(2 as bigint) as id, 'yo' as message, 'b' as part
union all
select cast(3 as bigint) as id, 'anyway' as message, 'c' as part
{% endif %}
"""

BOTH_RUNS = [(1, "hello"), (2, "goodbye"), (2, "yo"), (3, "anyway")]
PARTITIONS_REPLACED = [(1, "hello"), (2, "yo"), (3, "anyway")]
SECOND_RUN = [(2, "yo"), (3, "anyway")]


def model(**config):
    arguments = ", ".join(f"{key}={value!r}" for key, value in config.items())
    return f"{{{{ config(materialized='incremental', {arguments}) }}}}\n{FIRST_RUN_THEN_SECOND}"


def rows_of(project, name):
    found = project.run_sql(f"select id, message from {{schema}}.{name}", fetch="all")
    return sorted(tuple(row) for row in found)


class SchemaChange(BaseIncrementalOnSchemaChange):
    def test_run_incremental_append_new_columns(self, project):
        self.run_incremental_append_new_columns(project)

    def test_run_incremental_sync_all_columns(self, project):
        selection = ["--select", "model_a", "incremental_sync_all_columns"]
        run_dbt(["run", *selection, "--full-refresh"])
        results = run_dbt(["run", *selection], expect_pass=False)
        assert "Apache Spark does not support dropping columns from tables" in results[1].message


class TestAppendOnSchemaChange(SchemaChange):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"+incremental_strategy": "append"}}


class TestInsertOverwriteOnSchemaChange(BaseIncrementalOnSchemaChange):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"+incremental_strategy": "insert_overwrite", "+partition_by": "id"}}

    # an unpartitioned column cannot be added behind the partition column that Spark keeps last
    test_run_incremental_append_new_columns = None
    test_run_incremental_sync_all_columns = None


class TestStrategies:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "no_strategy.sql": model(),
            "append.sql": model(incremental_strategy="append"),
            "overwrite_table.sql": model(incremental_strategy="insert_overwrite"),
            "overwrite_partitions.sql": model(incremental_strategy="insert_overwrite", partition_by="part"),
        }

    def test_rows_after_a_second_run(self, project):
        assert len(run_dbt(["run"])) == 4
        assert len(run_dbt(["run"])) == 4
        expected = {
            "no_strategy": BOTH_RUNS,
            "append": BOTH_RUNS,
            "overwrite_table": SECOND_RUN,
            "overwrite_partitions": PARTITIONS_REPLACED,
        }
        for name, rows in expected.items():
            assert rows_of(project, name) == sorted(rows), name


class TestLostColumn:
    """A column that the model has lost stays, and is null in new rows."""

    @pytest.fixture(scope="class")
    def models(self):
        sql = "select {id} as id {% if not is_incremental() %}, 'a' as old, 2 as kept {% else %}, 3 as kept{% endif %}"
        config = "materialized='incremental', on_schema_change='append_new_columns'"
        parts = ", incremental_strategy='insert_overwrite', partition_by='id'"
        both = sql.replace("{id}", "explode(if({{ is_incremental() }}, array(2), array(1, 2)))")
        return {
            "lost.sql": "{{ config(" + config + ") }} " + sql.replace("{id}", "1"),
            "overwritten.sql": "{{ config(" + config + parts + ") }} " + both,
        }

    def test_it_is_null(self, project):
        run_dbt(["run"])
        run_dbt(["run"])
        expected = {
            "lost": [(1, "a", 2), (1, None, 3)],
            "overwritten": [(1, "a", 2), (2, None, 3)],
        }
        for name, rows in expected.items():
            found = project.run_sql(f"select id, old, kept from {project.test_schema}.{name}", fetch="all")
            assert sorted((tuple(row) for row in found), key=str) == rows


class TestBadStrategies:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "bad_file_format.sql": model(file_format="something_else"),
            "bad_strategy.sql": model(incremental_strategy="something_else"),
            # dbt's own package has a macro of this name
            "no_strategy.sql": model(incremental_strategy="default"),
            "merge_without_delta.sql": model(incremental_strategy="merge"),
        }

    def test_each_is_refused_with_a_reason(self, project):
        results = run_dbt(["run"], expect_pass=False)
        messages = {result.node.name: result.message for result in results}
        assert "Invalid file format provided: something_else" in messages["bad_file_format"]
        for name, strategy in {"bad_strategy": "something_else", "no_strategy": "default"}.items():
            assert f"incremental_strategy: '{strategy}' is not one of append, merge, " in messages[name]
            assert f"no macro get_incremental_{strategy}_sql (" in messages[name]
        assert "merge changes rows, and a table without file_format cannot" in messages["merge_without_delta"]


class TestMicrobatch(BaseMicrobatch):
    @pytest.fixture(scope="class")
    def input_model_sql(self):
        return MICROBATCH_INPUT

    @pytest.fixture(scope="class")
    def microbatch_model_sql(self):
        return MICROBATCH

    @pytest.fixture(scope="class")
    def insert_two_rows_sql(self, project):
        return (
            f"insert into {project.test_schema}.input_model values "
            "(4, timestamp'2020-01-04 00:00:00Z'), (5, timestamp'2020-01-05 00:00:00Z')"
        )


class TestRefreshedMicrobatch(TestMicrobatch):
    """All batches of a full refresh are there, not the last one alone."""

    def test_run_with_event_time(self, project):
        for _ in range(2):
            with patch_microbatch_end_time("2020-01-03 13:57:00"):
                run_dbt(["run", "--full-refresh"])
            self.assert_row_count(project, "microbatch_model", 3)


class TestSpecialCharacters:
    """Column names that need quoting survive an incremental run and a new column."""

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "special.sql": """
{{ config(materialized='incremental', on_schema_change='append_new_columns') }}
{% if not is_incremental() %}
select 1 as id, 'a' as `from-to`
{% else %}
select 2 as id, 'b' as `from-to`, 'c' as `order by`
{% endif %}
"""
        }

    def test_new_column_is_added(self, project):
        run_dbt(["run"])
        run_dbt(["run"])
        rows = project.run_sql("select id, `from-to`, `order by` from {schema}.special", fetch="all")
        assert sorted(tuple(row) for row in rows) == [(1, "a", None), (2, "b", "c")]


INSERT_NEW = """
{% macro get_incremental_insert_new_sql(arg_dict) %}
    {%- set names = arg_dict['dest_columns'] | map(attribute='name') | join(', ') -%}
    insert into {{ arg_dict['target_relation'] }}
    select {{ names }} from {{ arg_dict['temp_relation'] }} as fresh
    left anti join {{ arg_dict['target_relation'] }} as known using ({{ arg_dict['unique_key'] }})
    {%- for each in arg_dict['incremental_predicates'] or [] %} where {{ each }}{% endfor %}
{% endmacro %}
"""


class TestAStrategyOfTheProject:
    @pytest.fixture(scope="class")
    def macros(self):
        return {"insert_new.sql": INSERT_NEW}

    @pytest.fixture(scope="class")
    def models(self):
        own = {"incremental_strategy": "insert_new", "unique_key": "id"}
        return {
            "kept.sql": model(**own),
            "some.sql": model(**own, incremental_predicates=["fresh.id > 3"]),
        }

    def test_its_macro_is_given_what_dbt_says(self, project):
        for _ in range(2):
            run_dbt(["run", "--select", "kept", "some"])
        assert rows_of(project, "kept") == [(1, "hello"), (2, "goodbye"), (3, "anyway")]
        assert rows_of(project, "some") == [(1, "hello"), (2, "goodbye")]
