"""Incremental models: keys, columns that are merged or not, predicates, batches, and columns that change."""

import pytest
from dbt.tests.adapter.basic.test_incremental import BaseIncremental, BaseIncrementalNotSchemaChange
from dbt.tests.adapter.incremental.test_incremental_merge_exclude_columns import BaseMergeExcludeColumns
from dbt.tests.adapter.incremental.test_incremental_microbatch import BaseMicrobatch
from dbt.tests.adapter.incremental.test_incremental_on_schema_change import BaseIncrementalOnSchemaChange
from dbt.tests.adapter.incremental.test_incremental_predicates import BaseIncrementalPredicates
from dbt.tests.adapter.incremental.test_incremental_unique_id import BaseIncrementalUniqueKey


def merging(**more):
    return {"models": {"+incremental_strategy": "merge", **{f"+{key}": value for key, value in more.items()}}}


class TestIncremental(BaseIncremental):
    pass


class TestIncrementalNotSchemaChange(BaseIncrementalNotSchemaChange):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return merging()


class TestUniqueKey(BaseIncrementalUniqueKey):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return merging()


class TestMergeExcludeColumns(BaseMergeExcludeColumns):
    pass


class TestPredicatesOfMerge(BaseIncrementalPredicates):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return merging(incremental_predicates=["dbt_internal_dest.id != 2"])


class TestPredicatesOfDeleteInsert(BaseIncrementalPredicates):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"+incremental_strategy": "delete+insert", "+predicates": ["id != 2"]}}


class TestMicrobatch(BaseMicrobatch):
    pass


@pytest.mark.repeated
class TestOnSchemaChange(BaseIncrementalOnSchemaChange):
    @pytest.fixture(scope="class")
    def project_config_update(self, format_):
        # without it Delta Lake drops no columns
        mapped = {"tblproperties": {"delta.columnMapping.mode": "name"}} if format_ == "delta" else {}
        return merging(unique_key="id", **mapped)
