"""The config that would start a filter from the order which it has learned, where it can be said."""

import pytest

from dbt.adapters.adaptive_spark.report.filter_order_advice import filter_order
from dbt.adapters.adaptive_spark.report.run_results import Conjunct, Filter

SQL = "select * from shop.orders as o where o.status = 'x' and Amount > 1 and day > date'2026-01-01'"


def learned(*predicates):
    """Each with its written place, in the order that was learned."""
    conjuncts = [
        Conjunct(text, written, place, 9, 0.5, 1.0, False) for place, (text, written) in enumerate(predicates)
    ]
    return Filter(10, 5, 1, conjuncts)


MOVED = learned(("(c.s.orders.amount > 1)", 1), ("(c.s.orders.day > DATE '2026-01-01')", 2), ("(c.s.orders.status = 'x')", 0))  # fmt: skip


def test_columns_in_the_learned_order():
    assert filter_order(MOVED, SQL) == ["amount", "day", "status"]


def test_null_checks_that_spark_adds_do_not_count():
    found = learned(("(o.status IS NOT NULL)", 3), ("(o.amount > 1)", 1), ("(o.status = 'x')", 0))
    assert filter_order(found, "select * from shop.orders o where status = 'x' and amount > 1") == [
        "amount",
        "status",
    ]


def test_two_conjuncts_of_a_column_are_one_name():
    found = learned(("(o.amount > 1)", 1), ("(o.status = 'x')", 0), ("(o.amount < 9)", 2))
    sql = "select * from shop.orders as o where o.status = 'x' and amount > 1 and amount < 9"
    assert filter_order(found, sql) == ["amount", "status"]


@pytest.mark.parametrize(
    ("filter_", "sql"),
    [
        (learned(("(o.status = 'x')", 0), ("(o.amount > 1)", 1)), SQL),
        (MOVED, "select * from (select * from shop.orders where status = 'x' and amount > 1 and day > 2) where amount > 1"),
        (MOVED, f"{SQL} union all {SQL}"),
        (MOVED, "select * from shop.orders"),
        (MOVED, "select from where"),
        (MOVED, ""),
        (learned(("rand() < 1", 1), ("(o.status = 'x')", 0)), SQL),
        (learned(("a b c (", 1), ("(o.status = 'x')", 0)), SQL),
        (learned(("(o.payload.kind = 'x')", 1), ("(o.amount > 1)", 0)), "select * from t o where o.amount > 1 and o.payload.kind = 'x'"),
        (learned(("(o.b = 2)", 1), ("(o.a = 1)", 0), ("(o.c = 3)", 2)), "select * from t o where (o.a = 1 or o.b = 2) and o.c = 3"),
        (learned(("(t.b = 2)", 1), ("(t.a = 1)", 0)), "with w as (select * from t where a = 1 and b = 2) select * from w where a = 3 and b = 4"),
        (learned(("(o.b = 2)", 1), ("(o.a = 1)", 0)), "select * from t o join u on o.id = u.id where o.a = 1 and o.b = 2"),
        (learned(("(o.b = 2)", 1), ("(o.a = 1)", 0)), "select * from t o where o.a = 1 and o.b = 2 and u = 3"),
    ],
    ids=["as written", "of an inner query", "union", "no WHERE", "no SQL", "nothing", "no column", "no predicate", "a field of a struct",
         "below an OR", "of a CTE", "a join", "another filter"],
)  # fmt: skip
def test_where_it_can_not_be_said(filter_, sql):
    assert filter_order(filter_, sql) is None
