"""Texts of predicates: without the table that they share, and by their AND and OR."""

import pytest

from dbt.adapters.adaptive_spark.response.predicate_text import (
    nested,
    without_catalog,
    without_made_up,
    without_table,
)


@pytest.mark.parametrize(
    ("texts", "table", "shown"),
    [
        (["(c.s.t.a > 1)", "RLIKE(c.s.t.b, 'x.y.z')"], "c.s.t", ["a > 1", "RLIKE(b, 'x.y.z')"]),
        (["(o.a > c.b)", "(o.x = 1)"], None, ["o.a > c.b", "o.x = 1"]),
        (["(a > 1)", "((a) OR (b))", "(a) OR (b)"], None, ["a > 1", "(a) OR (b)", "(a) OR (b)"]),
        (["(t.`odd name` = ')')", "(t.a = 1.5)"], "t", ["`odd name` = ')'", "a = 1.5"]),
        (["(f.x = 'it\\'s a.b')", "(f.y > 0.5D)"], "f", ["x = 'it\\'s a.b'", "y > 0.5D"]),
        (["", "("], None, ["", "("]),
        ([], None, []),
    ],
)
def test_a_table_that_all_predicates_share_is_said_once(texts, table, shown):
    assert without_table(texts) == (table, shown)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("(a > 1)", ["a > 1"]),
        ("((a > 1) OR (b < 2))", ["OR", " a > 1", " b < 2"]),
        ("(a LIKE 'x OR (y' OR ((b AND c) AND NOT (d OR e)))", ["OR", " a LIKE 'x OR (y'", " AND", "  b", "  c", "  NOT (d OR e)"]),
        ("(((a OR b) OR c) OR (d AND (e OR f)))", ["OR", " a", " b", " c", " AND", "  d", "  OR", "   e", "   f"]),
        ("a AND b OR c", ["OR", " AND", "  a", "  b", " c"]),
        ("(CASE WHEN (a AND b) THEN 1 END = 2)", ["CASE WHEN (a AND b) THEN 1 END = 2"]),
        ("(`x AND y` > 1 AND orders = 2)", ["AND", " `x AND y` > 1", " orders = 2"]),
        ("(a AND", ["(a AND"]),
        (")a OR b(", [")a OR b("]),
        ("", [""]),
    ],
)  # fmt: skip
def test_a_predicate_is_taken_apart_at_each_and_and_or(text, lines):
    assert [" " * depth + line for depth, line in nested(text)] == lines


def test_a_predicate_that_is_nested_very_deeply_is_drawn_as_far_as_a_page_can():
    text = "a"
    for _ in range(100):
        text = f"(b OR (c AND {text}))"
    assert max(depth for depth, _ in nested(text)) == 8
    chain = "(" * 500 + "a" + " OR b)" * 500
    assert len(nested(chain)) == 502


def test_the_name_of_sparks_own_catalog_is_left_out():
    assert (
        without_catalog("spark_catalog.a.b, lake.a.b, my_spark_catalog.a.b")
        == "a.b, lake.a.b, my_spark_catalog.a.b"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("__auto_generated_subquery_name: (a > ?)", "(a > ?)"),
        ("(__auto_generated_subquery_name.a > orders.b)", "(a > orders.b)"),
        ("__dbt__cte__stg_orders, days: (a = b)", "stg_orders, days: (a = b)"),
        ("(__dbt__cte__stg_orders.a > 1)", "(stg_orders.a > 1)"),
        ("(t.name = '__dbt__cte__x')", "(t.name = '__dbt__cte__x')"),
        ("(my__dbt__cte__x.a > 1)", "(my__dbt__cte__x.a > 1)"),
    ],
)
def test_names_that_nobody_wrote_are_left_out(text, shown):
    assert without_made_up(text) == shown
