"""Texts of predicates without the table that they share."""

import pytest

from dbt.adapters.adaptive_spark.response.predicate_text import without_table


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
