"""A table's facts by DESCRIBE EXTENDED."""

import pytest

from dbt.adapters.adaptive_spark.catalog.described_table import described, partitions
from dbt.adapters.adaptive_spark.catalog.docs_catalog import catalog_table, with_databases

ROWS = [
    ("id", "bigint", None),
    ("n", "string", "a name"),
    ("", "", ""),
    ("# Metadata Columns", "", ""),
    ("_file", "string", ""),
    ("", "", ""),
    ("# Detailed Table Information", "", ""),
    ("Name", "lake.shop.t", ""),
    ("Provider", "iceberg", ""),
    ("Owner", "ann", ""),
    ("Comment", "all of it", ""),
    ("Statistics", "140 bytes, 5 rows", None),
]


def test_columns_and_properties():
    table = described("lake", "shop", "t", False, ROWS)
    assert [(each.index, each.name, each.type, each.comment) for each in table.columns] == [
        (0, "id", "bigint", None),
        (1, "n", "string", "a name"),
    ]
    assert (table.catalog, table.kind, table.provider, table.owner) == ("lake", "table", "iceberg", "ann")
    assert (table.comment, table.size, table.rows) == ("all of it", 140, 5)


def test_a_table_without_details_has_its_columns():
    table = described("lake", "shop", "v", True, ROWS[:2])
    assert len(table.columns) == 2
    assert (table.kind, table.owner, table.size, table.rows) == ("view", None, None, None)


def test_docs_have_the_catalog_and_what_it_says_of_the_table():
    (first, second) = catalog_table([described("lake", "shop", "t", False, ROWS)]).rows
    assert (first["table_database"], first["table_schema"], first["table_name"]) == ("lake", "shop", "t")
    assert (first["stats:rows:value"], first["stats:rows:description"]) == (5, "As the table's catalog says")
    assert second["column_comment"] == "a name"


def test_a_table_of_the_session_catalog_is_found_by_each_name_of_its_database():
    table = described(None, "shop", "t", False, ROWS)
    catalog = with_databases(catalog_table([table]), {("shop", "t"): {"spark_catalog"}})
    assert [(row["table_database"], row["column_name"]) for row in catalog.rows] == [
        (None, "id"),
        (None, "n"),
        ("spark_catalog", "id"),
        ("spark_catalog", "n"),
    ]
    elsewhere = catalog_table([described("lake", "shop", "t", False, ROWS)])
    assert with_databases(elsewhere, {("shop", "t"): {"spark_catalog"}}) is elsewhere


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ([], []),
        (
            [
                ("# Partition Information", "", ""),
                ("# col_name", "data_type", "comment"),
                ("id", "bigint", None),
                ("`x y`", "string", None),
            ],
            ["id", "`x y`"],
        ),
        (
            [("", "", ""), ("# Partitioning", "", ""), ("Part 0", "days(ts)", ""), ("Part 1", "id", "")],
            ["days(ts)", "id"],
        ),
        ([("", "", ""), ("# Partitioning", "", ""), ("Not partitioned", "", "")], []),
    ],
)
def test_partitions_stand_below_a_heading(section, expected):
    assert partitions([*ROWS[:2], *section, *ROWS[2:]]) == expected
