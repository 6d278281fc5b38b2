"""Nodes that ask for grants, and the sentence where Spark has none."""

import pytest

from dbt.adapters.adaptive_spark.table.privileges import asks_for_grants, grants_fault, show_grants

GRANTS = {"grants": {"select": ["reader"]}}
MODEL = "models/orders.sql"


def test_a_model_asks_by_its_config():
    assert asks_for_grants(GRANTS, lambda _: False)
    assert not asks_for_grants({}, lambda _: False)
    assert not asks_for_grants({"grants": {}}, lambda _: False)


@pytest.mark.parametrize(
    "name", ["apply_grants", "spark__get_show_grant_sql", "adaptive_spark__apply_grants"]
)
def test_a_macro_of_the_project_decides_itself(name):
    assert not asks_for_grants(GRANTS, {name}.__contains__)
    assert asks_for_grants(GRANTS, {f"my_{name}"}.__contains__)


def test_a_spark_that_does_not_know_the_statement_is_named():
    error = "[PARSE_SYNTAX_ERROR] Syntax error at or near 'on': missing 'FUNCTIONS'."
    assert grants_fault(error, MODEL) == (
        "grants needs a Spark that has GRANT and SHOW GRANTS, such as Databricks; this one has neither "
        "(models/orders.sql). Leave grants out for this target."
    )


def test_a_spark_that_knows_it_may_have_no_table_yet():
    assert show_grants("`shop`.`orders`") == "show grants on `shop`.`orders`"
    assert grants_fault("[TABLE_OR_VIEW_NOT_FOUND] `shop`.`orders`", MODEL) is None
