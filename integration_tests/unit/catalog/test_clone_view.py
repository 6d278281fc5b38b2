"""Which views are clones."""

import pytest

from dbt.adapters.adaptive_spark.catalog.clone_view import from_create, is_clone

INFORMATION = """Catalog: spark_catalog
Database: mine
Table: codes
Type: VIEW
View Text: {text}
View Original Text: {text}
Schema: root
 |-- id: integer (nullable = true)
"""


@pytest.mark.parametrize(
    "text",
    [
        "select * from prod.codes",
        "select * from `prod`.`codes`",
        "SELECT * FROM spark_catalog.prod.Codes",
        "select * from codes",
    ],
)
def test_a_view_of_a_table_of_the_same_name_is_a_clone(text):
    assert is_clone(INFORMATION.format(text=text), "codes")


@pytest.mark.parametrize(
    "text",
    [
        "select * from prod.other_codes",
        "select * from prod.codes where id > 1",
        "select * from prod.codes\nwhere id > 1",
        "select * from prod.codes\nwhere id > 1 -- id: 1",
        "select id from prod.codes",
        "select * from prod.codes join prod.more",
        "select 1 as id",
    ],
)
def test_any_other_view_is_none(text):
    assert not is_clone(INFORMATION.format(text=text), "codes")


def test_a_relation_that_nothing_is_known_of_is_none():
    assert not is_clone(None, "codes")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select * from prod.codes", True),
        ("select 1 as id", False),
        ("select * from prod.codes\nwhere id > 1", False),
    ],
)
def test_a_view_of_another_catalog_has_its_text_in_its_statement(query, expected):
    statement = (
        f"CREATE VIEW lake.mine.codes (\n  id)\nTBLPROPERTIES (\n  'provider' = 'iceberg')\nAS\n{query}\n"
    )
    assert is_clone(from_create(statement), "codes") == expected
