import pytest
from dbt.tests.adapter.utils.data_types.test_type_bigint import BaseTypeBigInt
from dbt.tests.adapter.utils.data_types.test_type_boolean import BaseTypeBoolean
from dbt.tests.adapter.utils.data_types.test_type_float import BaseTypeFloat
from dbt.tests.adapter.utils.data_types.test_type_int import BaseTypeInt
from dbt.tests.adapter.utils.data_types.test_type_numeric import BaseTypeNumeric
from dbt.tests.adapter.utils.data_types.test_type_string import BaseTypeString
from dbt.tests.adapter.utils.data_types.test_type_timestamp import BaseTypeTimestamp


def expected_as(column_types):
    """A project in which the seed `expected` gets these types in place of the inferred ones."""
    return {"seeds": {"test": {"expected": {"+column_types": column_types}}}}


class TestTypeBigInt(BaseTypeBigInt):
    pass


class TestTypeBoolean(BaseTypeBoolean):
    pass


class TestTypeFloat(BaseTypeFloat):
    # a seed's decimals are doubles, type_float() is float
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return expected_as({"float_col": "float"})


class TestTypeInt(BaseTypeInt):
    # a seed's integers are bigints, type_int() is int
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return expected_as({"int_col": "int"})


class TestTypeNumeric(BaseTypeNumeric):
    pass


class TestTypeString(BaseTypeString):
    pass


class TestTypeTimestamp(BaseTypeTimestamp):
    pass
