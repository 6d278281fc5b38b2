"""Types of columns by the format of their table."""

import pytest

from dbt.adapters.adaptive_spark.table.column_types import kept_type


@pytest.mark.parametrize(
    ("type_", "kept"),
    [
        ("smallint", "int"),
        ("tinyint", "int"),
        ("bigint", "bigint"),
        ("array<smallint>", "array<int>"),
        ("map<smallint,struct<a:tinyint,b:string>>", "map<int,struct<a:int,b:string>>"),
        (
            "struct<smallint:string,`tinyint`:int,a-smallint:int>",
            "struct<smallint:string,`tinyint`:int,a-smallint:int>",
        ),
    ],
)
def test_iceberg_has_no_small_integers(type_, kept):
    assert kept_type(type_, "iceberg") == kept
    for other in ("delta", "parquet", None):
        assert kept_type(type_, other) == type_
