"""Materializations that a project has for dbt-spark take the place of the adapter's."""

import pytest
from dbt.tests.util import run_dbt

OF_SPARK = """\
{% materialization NAME, adapter='spark' %}
    {%- set made = this.incorporate(type='view') -%}
    {%- call statement('main') -%} create or replace view {{ made }} as select 'own NAME' as of {%- endcall -%}
    {{ return({'relations': [made]}) }}
{% endmaterialization %}
"""
# which the adapter's own could not do
SNAPSHOT = "{% snapshot history %}{{ config(unique_key='id', strategy='check', check_cols='all') }} select 1 as id{% endsnapshot %}"


class TestOwnMaterializations:
    @pytest.fixture(scope="class")
    def macros(self):
        return {f"{name}.sql": OF_SPARK.replace("NAME", name) for name in ("incremental", "view", "snapshot")}

    @pytest.fixture(scope="class")
    def models(self):
        return {
            f"a_{name}.sql": f"{{{{ config(materialized='{name}', incremental_strategy='own') }}}} select 1 as id"
            for name in ("incremental", "view")
        }

    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"history.sql": SNAPSHOT}

    def test_they_are_used(self, project):
        assert len(run_dbt(["build"])) == 3
        for table, name in {
            "a_incremental": "incremental",
            "a_view": "view",
            "history": "snapshot",
        }.items():
            assert project.run_sql(f"select of from {{schema}}.{table}", fetch="one")[0] == f"own {name}"
