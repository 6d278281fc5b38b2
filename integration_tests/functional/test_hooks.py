"""Hooks that need no UPDATE: the suite's hooks on seeds and snapshots write with one."""

import os

import pytest
from dbt.tests.adapter.hooks.test_model_hooks import (
    MODEL_POST_HOOK,
    MODEL_PRE_HOOK,
    BaseDuplicateHooksInConfigs,
    BaseHookRefs,
    BaseHooksRefsOnSeeds,
    BasePrePostModelHooks,
    BasePrePostModelHooksInConfig,
    BasePrePostModelHooksInConfigKwargs,
    BasePrePostModelHooksInConfigWithCount,
)
from dbt.tests.adapter.hooks.test_run_hooks import BaseAfterRunHooks, BasePrePostRunHooks
from dbt.tests.util import run_dbt

HOOK_TABLE = """
create table {schema}.{table} (
    test_state string,
    target_dbname string,
    target_host string,
    target_name string,
    target_schema string,
    target_type string,
    target_user string,
    target_pass string,
    target_threads int,
    run_started_at string,
    invocation_id string,
    thread_id string
)
"""


def create_hook_table(project, table):
    project.run_sql(f"drop table if exists {project.test_schema}.{table}")
    project.run_sql(HOOK_TABLE.format(schema=project.test_schema, table=table))


def check_hook_rows(project, table, state, count):
    query = (
        "select target_name, target_schema, target_type, target_threads, run_started_at, invocation_id, thread_id"
        f" from {project.test_schema}.{table} where test_state = '{state}'"
    )
    rows = project.run_sql(query, fetch="all")
    assert len(rows) == count
    for name, schema, target_type, threads, started_at, invocation_id, thread_id in rows:
        assert (name, schema, target_type, threads) == (
            "default",
            project.test_schema,
            "spark",
            4,
        )
        assert started_at
        assert invocation_id
        assert thread_id.startswith("Thread-") or thread_id == "MainThread"


class ModelHooks:
    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project):
        create_hook_table(project, "on_model_hook")

    def check_hooks(self, state, project, host, count=1):
        check_hook_rows(project, "on_model_hook", state, count)


class HooksInProject:
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"test": {"pre-hook": [MODEL_PRE_HOOK], "post-hook": [MODEL_POST_HOOK]}}}


class TestPrePostModelHooks(HooksInProject, ModelHooks, BasePrePostModelHooks):
    pass


class TestHookRefs(ModelHooks, BaseHookRefs):
    pass


class TestPrePostModelHooksInConfig(ModelHooks, BasePrePostModelHooksInConfig):
    pass


class TestPrePostModelHooksInConfigWithCount(
    HooksInProject, ModelHooks, BasePrePostModelHooksInConfigWithCount
):
    pass


class TestPrePostModelHooksInConfigKwargs(ModelHooks, BasePrePostModelHooksInConfigKwargs):
    pass


class TestHooksRefsOnSeeds(BaseHooksRefsOnSeeds):
    pass


class TestDuplicateHooksInConfigs(BaseDuplicateHooksInConfigs):
    pass


class TestPrePostRunHooks(BasePrePostRunHooks):
    @pytest.fixture(scope="function")
    def setUp(self, project):
        create_hook_table(project, "on_run_hook")
        project.run_sql(f"drop table if exists {project.test_schema}.schemas")
        os.environ["TERM_TEST"] = "TESTING"

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {
            # a drop before its create would fail: hooks run in the order in which they stand
            "on-run-start": [
                "{{ custom_run_hook('start', target, run_started_at, invocation_id) }}",
                "create table {{ target.schema }}.start_hook_order_test (id int)",
                "drop table {{ target.schema }}.start_hook_order_test",
                "{{ log(env_var('TERM_TEST'), info=True) }}",
            ],
            "on-run-end": [
                "{{ custom_run_hook('end', target, run_started_at, invocation_id) }}",
                "create table {{ target.schema }}.end_hook_order_test (id int)",
                "drop table {{ target.schema }}.end_hook_order_test",
                "create table {{ target.schema }}.schemas (name string)",
                "insert into {{ target.schema }}.schemas values "
                "{% for schema in schemas %}('{{ schema }}'){{ ',' if not loop.last }}{% endfor %}",
            ],
            "seeds": {"quote_columns": False},
        }

    def check_hooks(self, state, project, host):
        check_hook_rows(project, "on_run_hook", state, 1)

    def assert_used_schemas(self, project):
        rows = project.run_sql("select * from {schema}.schemas", fetch="all")
        assert [tuple(row) for row in rows] == [(project.test_schema,)]


class TestAfterRunHooks(BaseAfterRunHooks):
    pass


class TestHooksOutsideOfTransactions:
    """Spark has none: such hooks run like others, in their order."""

    @pytest.fixture(scope="class")
    def models(self):
        config = "{{{{ config(materialized='{}') }}}} select 1 as id"
        return {f"{kind}_model.sql": config.format(kind) for kind in ("table", "incremental", "view")}

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"a_seed.csv": "id\n1\n"}

    @pytest.fixture(scope="class")
    def project_config_update(self):
        def noted(when):
            return f"insert into {{{{ target.schema }}}}.noted values ('{{{{ this.name }}}}', '{when}')"

        hooks = {
            "+pre-hook": [{"sql": noted("1 begins"), "transaction": False}, noted("2 begins")],
            "+post-hook": [{"sql": noted("3 ends"), "transaction": False}, noted("4 ends")],
        }
        return {"models": hooks, "seeds": hooks}

    def test_each_runs_once(self, project):
        project.run_sql("create table {schema}.noted (node string, at string)")
        run_dbt(["build", "--threads", "1"])  # who write to one Parquet table take turns
        rows = project.run_sql("select node, at from {schema}.noted", fetch="all")
        nodes = ("table_model", "incremental_model", "view_model", "a_seed")
        times = ("1 begins", "2 begins", "3 ends", "4 ends")
        assert sorted(map(tuple, rows)) == sorted((node, at) for node in nodes for at in times)
