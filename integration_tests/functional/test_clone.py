"""A clone is a view unless the table is one of Delta Lake, whichever other format is named or none;
nothing is cloned onto itself.
"""

import pytest
from dbt.tests.adapter.dbt_clone.test_dbt_clone import BaseClone, BaseCloneSameTargetAndState
from dbt.tests.util import run_dbt

pytestmark = pytest.mark.usefixtures("artifacts")
# its output lacks the column of its filter_order
ORDERED = "{{ config(materialized='table', filter_order=['name']) }} select id from {{ ref('seed') }} where name <> 'x' and id > 0"


class TestCloneSameTargetAndState(BaseCloneSameTargetAndState):
    pass


class TestCloneOfTheDefaultFormat(BaseClone):
    @pytest.fixture(scope="class")
    def models(self):
        return {"ordered.sql": ORDERED, "plain.sql": "{{ config(materialized='view') }} select 1 as id"}

    @pytest.fixture(scope="class")
    def snapshots(self):
        return {}

    def test_a_clone_is_a_view(self, project, other_schema):
        project.create_test_schema(other_schema)
        run_dbt(["seed"])
        run_dbt(["run"])
        self.copy_state(project.project_root)
        clone = ["clone", "--state", "state", "--target", "otherschema", "--full-refresh"]
        for _ in range(2):
            assert len(run_dbt(clone)) == 3
        relations = project.adapter.list_relations(database=project.database, schema=other_schema)
        assert {each.identifier: each.type for each in relations} == dict.fromkeys(
            ("seed", "ordered", "plain"), "view"
        )
        rows = project.run_sql(f"select count(*) from {other_schema}.ordered", fetch="one")
        assert rows[0] > 0

    def test_a_seed_takes_the_place_of_its_clone(self, project, other_schema):
        project.create_test_schema(other_schema)
        run_dbt(["seed"])
        run_dbt(["run"])
        self.copy_state(project.project_root)
        run_dbt(["clone", "--state", "state", "--target", "otherschema", "--full-refresh"])
        for arguments in ([], [], ["--full-refresh"]):
            assert len(run_dbt(["seed", "--target", "otherschema", *arguments])) == 1
            relations = project.adapter.list_relations(database=project.database, schema=other_schema)
            assert [each.type for each in relations if each.identifier == "seed"] == ["table"]
            rows = project.run_sql(f"select count(*) from {other_schema}.seed", fetch="one")
            assert rows[0] == 2


class TestCloneOntoItself(BaseClone):
    """The tables that the state names are those of the target, as where a project fixes its schemas."""

    @pytest.fixture(scope="class")
    def models(self):
        return {"orders.sql": "{{ config(materialized='table') }} select 1 as id"}

    @pytest.fixture(scope="class")
    def macros(self):
        return {}

    @pytest.fixture(scope="class")
    def snapshots(self):
        return {}

    def test_its_table_stays(self, project):
        run_dbt(["seed"])
        run_dbt(["run"])
        self.copy_state(project.project_root)
        for arguments in ([], ["--full-refresh"]):
            assert len(run_dbt(["clone", "--state", "state", *arguments])) == 2
            relations = project.adapter.list_relations(database=None, schema=project.test_schema)
            assert {each.identifier: each.type for each in relations} == {"seed": "table", "orders": "table"}
            assert project.run_sql("select id from {schema}.orders", fetch="one")[0] == 1


class TestCloneOfParquet(TestCloneOfTheDefaultFormat):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"+file_format": "parquet"}}
