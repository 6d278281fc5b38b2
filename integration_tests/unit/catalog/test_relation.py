"""Names of relations as SQL, in the session catalog and in others."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.catalog.relation import AdaptiveSparkRelation as Relation

QUOTED = {"database": True, "schema": True, "identifier": True}


@pytest.mark.parametrize("database", [None, "spark_catalog", "shop"])
def test_a_name_in_the_session_catalog_has_two_parts_as_they_are_written(database):
    relation = Relation.create(database=database, schema="shop", identifier="by-day")
    assert str(relation) == "shop.by-day"
    assert relation.database is None
    assert relation == Relation.create(schema="shop", identifier="by-day")
    assert str(relation.without_identifier()) == "shop"


def test_a_name_in_another_catalog_has_three():
    relation = Relation.create(database="lake", schema="shop", identifier="orders", type="table")
    assert str(relation) == "lake.shop.orders"
    assert str(relation.without_identifier()) == "lake.shop"
    assert str(relation.include(database=False, schema=False)) == "orders"
    assert str(relation.incorporate(path={"identifier": "late"})) == "lake.shop.late"


@pytest.mark.parametrize(
    ("database", "schema", "identifier", "rendered"),
    [
        ("my-lake", "shop", "by-day", "`my-lake`.shop.`by-day`"),
        ("lake", "a.b-c", "orders.history", "lake.a.`b-c`.orders.history"),
        ("lake", "shop", "`a.b`", "lake.shop.`a.b`"),
        ("lake", "2026", "orders", "lake.`2026`.orders"),
    ],
)
def test_a_part_that_is_no_plain_word_is_quoted_in_another_catalog(database, schema, identifier, rendered):
    assert str(Relation.create(database=database, schema=schema, identifier=identifier)) == rendered


def test_quoting_of_the_project_makes_a_part_one_name():
    relation = Relation.create(database="lake", schema="a.b", identifier="o`x", quote_policy=QUOTED)
    assert str(relation) == "`lake`.`a.b`.`o``x`"
    assert str(Relation.create(schema="a", identifier="b", quote_policy=QUOTED)) == "`a`.`b`"


@pytest.mark.parametrize(
    ("identifier", "said"), [("o`x", "a backquote that is not closed"), ("${x}", "replace")]
)
def test_a_name_that_sql_cannot_have_is_refused(identifier, said):
    with pytest.raises(DbtRuntimeError, match="Rename it") as error:
        str(Relation.create(database="lake", schema="shop", identifier=identifier))
    assert said in error.value.msg and f"identifier: {identifier}" in error.value.msg


def test_a_database_that_is_no_catalogs_name_is_refused():
    with pytest.raises(DbtRuntimeError, match="has a dot"):
        Relation.create(database="lake.shop", schema="a", identifier="b")
