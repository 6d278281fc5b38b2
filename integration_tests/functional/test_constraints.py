"""Contracts are checked before a table is made; constraints themselves want Delta, also where no format is named."""

import pytest
from dbt.tests.adapter.constraints import fixtures
from dbt.tests.adapter.constraints.test_constraints import (
    BaseIncrementalConstraintsColumnsEqual,
    BaseTableConstraintsColumnsEqual,
    BaseViewConstraintsColumnsEqual,
)


class Contracts:
    @pytest.fixture
    def string_type(self):
        return "string"

    @pytest.fixture
    def int_type(self):
        return "int"

    @pytest.fixture
    def data_types(self, int_type, schema_int_type, string_type):
        # SQL value, type in the schema file, type in the error message
        return [
            ["1", schema_int_type, int_type],
            ["'1'", string_type, string_type],
            ["true", "boolean", "boolean"],
            ["cast('2019-01-01' as date)", "date", "date"],
            ["timestamp'2013-11-03 00:00:00-07'", "timestamp", "timestamp"],
            ["array('a', 'b', 'c')", "array<string>", "array"],
            ["array(1, 2, 3)", "array<int>", "array"],
            ["cast(1 as decimal(10, 2))", "decimal(10, 2)", "decimal"],
        ]


def with_spark_types(models):
    return {name: text.replace("data_type: text", "data_type: string") for name, text in models.items()}


class TestTableConstraintsColumnsEqual(Contracts, BaseTableConstraintsColumnsEqual):
    @pytest.fixture(scope="class")
    def models(self):
        return with_spark_types(
            {
                "my_model_wrong_order.sql": fixtures.my_model_wrong_order_sql,
                "my_model_wrong_name.sql": fixtures.my_model_wrong_name_sql,
                "constraints_schema.yml": fixtures.model_schema_yml,
            }
        )


class TestViewConstraintsColumnsEqual(Contracts, BaseViewConstraintsColumnsEqual):
    @pytest.fixture(scope="class")
    def models(self):
        return with_spark_types(
            {
                "my_model_wrong_order.sql": fixtures.my_model_view_wrong_order_sql,
                "my_model_wrong_name.sql": fixtures.my_model_view_wrong_name_sql,
                "constraints_schema.yml": fixtures.model_schema_yml,
            }
        )


class TestIncrementalConstraintsColumnsEqual(Contracts, BaseIncrementalConstraintsColumnsEqual):
    @pytest.fixture(scope="class")
    def models(self):
        return with_spark_types(
            {
                "my_model_wrong_order.sql": fixtures.my_model_incremental_wrong_order_sql,
                "my_model_wrong_name.sql": fixtures.my_model_incremental_wrong_name_sql,
                "constraints_schema.yml": fixtures.model_schema_yml,
            }
        )


class TestTableConstraintsOfParquet(TestTableConstraintsColumnsEqual):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"+file_format": "parquet"}}
