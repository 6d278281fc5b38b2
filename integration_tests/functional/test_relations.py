"""Views and tables that take the place of a table, the latter where the old one's files lie."""

import pytest
from dbt.tests.adapter.relations.test_changing_relation_type import BaseChangeRelationTypeValidator
from dbt.tests.adapter.relations.test_dropping_schema_named import BaseDropSchemaNamed
from dbt.tests.adapter.sample_mode.test_sample_mode import BaseSampleModeTest
from dbt.tests.adapter.simple_copy.test_simple_copy import SimpleCopyBase
from dbt.tests.util import run_dbt, write_file

AS_TABLE = "{{ config(materialized='table') }} select 1 as id"
AS_VIEW = "{{ config(materialized='view') }} select %s"
PLACED = """\
{{ config(materialized='%s', incremental_strategy='insert_overwrite', file_format='parquet', partition_by='part') }}
select id, id as part from range({{ var('from') }}, {{ var('to') }})
"""


class TestChangeRelationTypes(BaseChangeRelationTypeValidator):
    pass


class TestDropSchemaNamed(BaseDropSchemaNamed):
    pass


class TestSampleMode(BaseSampleModeTest):
    pass


class TestSimpleCopy(SimpleCopyBase):
    test_simple_copy_with_materialized_views = None  # Spark has none


class TestAViewInATablesPlace:
    @pytest.fixture(scope="class")
    def models(self):
        return {"shop.sql": AS_TABLE}

    def relations(self, project):
        found = project.adapter.list_relations(database=project.database, schema=project.test_schema)
        return {each.identifier: str(each.type) for each in found}

    @pytest.mark.parametrize(
        ("columns", "fault"),
        [("lost from range(1)", "lost"), ("id from {{ this }}", "the model is a view that reads it")],
    )
    def test_a_view_that_cannot_be_made_leaves_the_table(self, project, columns, fault):
        write_file(AS_TABLE, project.project_root, "models", "shop.sql")
        run_dbt(["run"])
        write_file(AS_VIEW % columns, project.project_root, "models", "shop.sql")
        (failed,) = run_dbt(["run"], expect_pass=False)
        assert fault in failed.message
        assert self.relations(project) == {"shop": "table"}
        assert project.run_sql("select id from {schema}.shop", fetch="all") == [(1,)]

    def test_a_view_takes_the_place_and_leaves_nothing_else(self, project):
        write_file(AS_TABLE, project.project_root, "models", "shop.sql")
        run_dbt(["run"])
        write_file(AS_VIEW % "2 as id", project.project_root, "models", "shop.sql")
        run_dbt(["run"])
        assert self.relations(project) == {"shop": "view"}
        assert project.run_sql("select id from {schema}.shop", fetch="all") == [(2,)]


class TestTablesOfALocation:
    """Spark leaves the files of such a table where it is dropped, and makes no table over files."""

    @pytest.fixture(scope="class")
    def root(self, tmp_path_factory):
        return tmp_path_factory.mktemp("placed")

    @pytest.fixture(scope="class")
    def models(self):
        return {f"{kind}.sql": PLACED % kind for kind in ("table", "incremental")}

    @pytest.fixture(scope="class")
    def project_config_update(self, root):
        return {"models": {"+location_root": str(root)}}

    def configure(self, project, configs):
        for kind in ("table", "incremental"):
            said = f"{{{{ config(**{configs}) }}}}\n"
            write_file(said + PLACED % kind, project.project_root, "models", f"{kind}.sql")

    def run(self, *arguments, start=0, end=2, **how):
        return run_dbt(["run", *arguments, "--vars", f"{{from: {start}, to: {end}}}"], **how)

    def ids(self, project, name):
        rows = project.run_sql(f"select id from {{schema}}.{name}", fetch="all")
        return sorted(row[0] for row in rows)

    def test_each_run_has_its_rows_and_no_others_where_files_may_be_written_over(self, project):
        # dynamic mode would find the partitions again that have no new rows
        confs = {
            "spark.sql.legacy.allowNonEmptyLocationInCTAS": True,
            "spark.sql.sources.partitionOverwriteMode": "dynamic",
        }
        self.configure(project, {"spark_conf": confs})
        self.run()
        self.run(start=1, end=3)
        assert self.ids(project, "table") == [1, 2]
        assert self.ids(project, "incremental") == [0, 1, 2]
        self.run("--full-refresh", start=5, end=6)
        assert self.ids(project, "table") == [5]
        assert self.ids(project, "incremental") == [5]
        for name in ("table", "incremental"):
            project.run_sql(f"drop table {{schema}}.{name}")
        self.run(start=8, end=9)
        assert self.ids(project, "incremental") == [8]

    def test_else_the_table_stays(self, project):
        self.configure(project, {"tags": ["placed"]})
        before = self.ids(project, "table")
        for failed in self.run("--full-refresh", expect_pass=False):
            assert "Spark makes no table over files" in failed.message
        assert self.ids(project, "table") == before
