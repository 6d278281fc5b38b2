"""Tables, seeds, clones, comments, constraints and failures of tests."""

import pytest
from dbt.tests.adapter.basic.test_adapter_methods import BaseAdapterMethod
from dbt.tests.adapter.basic.test_base import BaseSimpleMaterializations
from dbt.tests.adapter.basic.test_generic_tests import BaseGenericTests
from dbt.tests.adapter.basic.test_table_materialization import BaseTableMaterialization
from dbt.tests.adapter.concurrency.test_concurrency import BaseConcurrency
from dbt.tests.adapter.dbt_clone.test_dbt_clone import BaseClonePossible
from dbt.tests.adapter.empty.test_empty import BaseTestEmpty
from dbt.tests.adapter.hooks.test_model_hooks import (
    BasePrePostModelHooksOnSeeds,
    BasePrePostModelHooksOnSnapshots,
)
from dbt.tests.adapter.persist_docs.test_persist_docs import BasePersistDocsAllColumnsMissing
from dbt.tests.adapter.relations.test_changing_relation_type import BaseChangeRelationTypeValidator
from dbt.tests.adapter.simple_copy.test_simple_copy import SimpleCopyBase
from dbt.tests.adapter.simple_seed.test_seed import (
    BaseBasicSeedTests,
    BaseSeedConfigFullRefreshOff,
    BaseTestEmptySeed,
)
from dbt.tests.adapter.store_test_failures_tests.test_store_test_failures import BaseStoreTestFailures


class TestSimpleMaterializations(BaseSimpleMaterializations):
    pass


class TestGenericTests(BaseGenericTests):
    pass


class TestTableMaterialization(BaseTableMaterialization):
    pass


class TestAdapterMethod(BaseAdapterMethod):
    pass


@pytest.mark.repeated
class TestConcurrency(BaseConcurrency):
    pass


@pytest.mark.usefixtures("artifacts")
class TestClone(BaseClonePossible):
    def test_can_clone_true(self, project, unique_schema, other_schema, format_):
        if format_ == "iceberg":
            pytest.skip("Iceberg clones no tables: its clones are views.")
        super().test_can_clone_true(project, unique_schema, other_schema)
        # a clone that is made again is the same table: what is dropped takes away files that others may have
        history = project.run_sql(f"describe history {other_schema}.table_model", fetch="all")
        assert [row[4] for row in history] == ["CLONE", "DELETE", "CLONE"]


class TestEmpty(BaseTestEmpty):
    pass


class TestHooksOnSeeds(BasePrePostModelHooksOnSeeds):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        hooks = [
            "alter table {{ this }} add column new_col int",
            "update {{ this }} set new_col = 1",
            # dbt's own has `::`, which Spark 3.5 does not know
            "select cast(null as {{ dbt.type_int() }}) as id",
        ]
        return {"seed-paths": ["seeds"], "models": {}, "seeds": {"post-hook": hooks, "quote_columns": False}}


class TestHooksOnSnapshots(BasePrePostModelHooksOnSnapshots):
    pass


class TestPersistDocsAllColumnsMissing(BasePersistDocsAllColumnsMissing):
    pass


class TestChangeRelationTypes(BaseChangeRelationTypeValidator):
    pass


class TestSimpleCopy(SimpleCopyBase):
    test_simple_copy_with_materialized_views = None  # Spark has none


class TestBasicSeeds(BaseBasicSeedTests):
    test_simple_seed_full_refresh_flag = None  # PostgreSQL drops views together with their table


class TestSeedConfigFullRefreshOff(BaseSeedConfigFullRefreshOff):
    pass


class TestEmptySeed(BaseTestEmptySeed):
    pass


class TestStoreTestFailures(BaseStoreTestFailures):
    pass
