"""Spark itself has no privileges, so a model with `grants` fails there: before its table is replaced."""

import pytest
from dbt.tests.util import relation_from_name, run_dbt

MODEL = "{{ config(materialized='table', grants={'select': ['reader']}) }} select %d as id"
NOTHING = "{% macro apply_grants(relation, grant_config, should_revoke=True) %}{% endmacro %}"


class TestGrants:
    @pytest.fixture(scope="class")
    def models(self):
        return {"granted.sql": MODEL % 1}

    def test_no_table_is_made(self, project):
        failed = run_dbt(["run"], expect_pass=False)
        assert failed.results[0].message.endswith(
            "grants needs a Spark that has GRANT and SHOW GRANTS, such as Databricks; this one has neither "
            "(models/granted.sql). Leave grants out for this target."
        )
        assert project.run_sql(f"show tables in {project.test_schema} like 'granted'", fetch="all") == []


class TestGrantsOfTheProject:
    @pytest.fixture(scope="class")
    def models(self):
        return {"granted.sql": MODEL % 2}

    @pytest.fixture(scope="class")
    def macros(self):
        return {"grants.sql": NOTHING}

    def test_its_own_macro_decides(self, project):
        run_dbt(["run"])
        table = relation_from_name(project.adapter, "granted")
        assert project.run_sql(f"select id from {table}", fetch="one")[0] == 2
