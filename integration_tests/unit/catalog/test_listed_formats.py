"""The format of a table by what Spark lists of it."""

import pytest

from dbt.adapters.adaptive_spark.catalog.listed_formats import is_iceberg

LISTED = "Catalog: spark_catalog\nDatabase: shop\nTable: b\nProvider: hive\nTable Properties: [{}]\nLocation: file:/b\n"


@pytest.mark.parametrize(
    "properties",
    ["table_type=ICEBERG", "a=1, table_type=ICEBERG, uuid=7", "current-schema={}, table_type=iceberg"],
)
def test_icebergs_mark_is_seen_among_a_tables_properties(properties):
    assert is_iceberg(LISTED.format(properties))


@pytest.mark.parametrize(
    "information",
    [
        LISTED.format("table_type=ICEBERGS"),
        LISTED.format("table_type=ICEBERG-VIEW"),
        LISTED.format("my_table_type=ICEBERG"),
        "Comment: table_type=ICEBERG",
        "",
    ],
)
def test_a_word_elsewhere_is_no_mark(information):
    assert not is_iceberg(information)
