"""Texts of predicates: cut ones, and the same with other constants."""

import pytest

from dbt.adapters.adaptive_spark.predicate_text import is_cut, without_constants, without_table


@pytest.mark.parametrize(
    ("text", "told"), [("x" * 1999, False), ("x" * 2000, True), ("😀" * 999 + "x…", True), ("", False)]
)
def test_texts_of_two_thousand_units_are_cut(text, told):
    assert is_cut(text) is told


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(a.day >= DATE '2026-01-01')", "(a.day >= DATE ?)"),
        ("(a.k1 IN (1, 2, 3))", "(a.k1 IN (?))"),
        ("(a.k1 IN ('x', 'it\\'s'))", "(a.k1 IN (?))"),
        ("(carriers > 1L)", "(carriers > ?)"),
        ("(`avg(x > 2)` >= 0.78D)", "(`avg(x > 2)` >= ?)"),
        ("(delay <= -20)", "(delay <= ?)"),
        ("(a.b - 5) > 1e3", "(a.b - ?) > ?"),
        ("startswith(t2.name, 'AIRBUS (1)')", "startswith(t2.name, ?)"),
        ("'a string that does not end", "'a string that does not end"),
    ],
)
def test_constants_aside(text, same):
    assert without_constants(text) == same


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
