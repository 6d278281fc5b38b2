"""The config that would start a filter from the order which it has learned, where it can be said."""

import pytest

from dbt.adapters.adaptive_spark.order_suggestion import filter_order
from dbt.adapters.adaptive_spark.run_results import Conjunct, Filter

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
    assert filter_order(found, SQL) == ["amount", "status"]


def test_two_conjuncts_of_a_column_are_one_name():
    found = learned(("(o.amount > 1)", 1), ("(o.status = 'x')", 0), ("(o.amount < 9)", 2))
    assert filter_order(found, SQL) == ["amount", "status"]


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
    ],
    ids=["as written", "of an inner query", "union", "no WHERE", "no SQL", "nothing", "no column", "no predicate"],
)  # fmt: skip
def test_where_it_can_not_be_said(filter_, sql):
    assert filter_order(filter_, sql) is None
