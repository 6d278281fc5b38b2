"""How the orders of a node's filters are kept from run to run."""

from datetime import datetime, timedelta, timezone

import pytest

from dbt.adapters.adaptive_spark.learned.order_history import FilterOrders, as_time, merged, orders

MONDAY, TUESDAY = "2026-11-02T05:00:00Z", "2026-11-03T05:00:00Z"


def ended(*places, monitored=10, shapes="abcdefgh"):
    """A filter as a response has it: the written places of its conjuncts, in the order in which they ended."""
    conjuncts = [
        {
            "shape": shapes[written],
            "written_position": written,
            "final_position": place,
            "rows_monitored": monitored,
        }
        for place, written in enumerate(places)
    ]
    return {"conjuncts": conjuncts}


def run(began, *filters):
    return orders(filters, began)


def day(number):
    return as_time(datetime(2026, 1, 1, 5, tzinfo=timezone.utc) + timedelta(days=number))


def test_an_order_is_the_written_places_by_the_final_ones():
    assert run(MONDAY, ended(2, 0, 1)) == (FilterOrders(("a", "b", "c"), {MONDAY: (2, 0, 1)}),)


def test_places_with_gaps_are_an_order_too():
    filters = [{"conjuncts": [{**each, "written_position": each["written_position"] * 3} for each in conjuncts]}
               for conjuncts in [ended(1, 0)["conjuncts"]]]  # fmt: skip
    assert run(MONDAY, *filters) == (FilterOrders(("a", "b"), {MONDAY: (1, 0)}),)


@pytest.mark.parametrize(
    "left_out",
    [
        ended(0),
        ended(1, 0, monitored=0),
        ended(*range(201), shapes=[str(at) for at in range(201)]),
    ],
    ids=["one conjunct", "no row", "very many conjuncts"],
)
def test_what_has_no_order_to_remember(left_out):
    assert run(MONDAY, left_out) == ()


def test_runs_add_up_and_the_last_statement_of_a_run_wins():
    known = merged(run(MONDAY, ended(0, 1)), run(TUESDAY, ended(0, 1)))
    again = merged(known, run(TUESDAY, ended(1, 0)))
    assert again == (FilterOrders(("a", "b"), {MONDAY: (0, 1), TUESDAY: (1, 0)}),)


def test_the_last_ten_runs_are_kept_in_the_order_of_their_times():
    history = ()
    for number in [*range(1, 12), 0]:  # the earliest run is the last to end
        history = merged(history, run(day(number), ended(0, 1)))
    assert list(history[0].runs) == [day(number) for number in range(2, 12)]


def test_the_filters_that_ran_last_are_kept():
    history = ()
    for number in range(25):
        history = merged(history, run(day(number), ended(0, 1, shapes=[f"x{number}y", "z"])))
    history = merged(history, run(day(25), ended(1, 0, shapes=["x6y", "z"])))
    assert [each.conjuncts[0] for each in history] == ["x6y", *(f"x{number}y" for number in range(24, 5, -1) if number != 6), "x5y"]  # fmt: skip
    assert history[0].runs == {day(6): (0, 1), day(25): (1, 0)}


def test_two_filters_of_one_statement_with_the_same_shapes_keep_a_history_each():
    history = merged(run(MONDAY, ended(0, 1), ended(1, 0)), run(TUESDAY, ended(1, 0), ended(0, 1)))
    assert [(each.conjuncts, each.runs) for each in history] == [
        (("a", "b"), {MONDAY: (0, 1), TUESDAY: (1, 0)}),
        (("a", "b"), {MONDAY: (1, 0), TUESDAY: (0, 1)}),
    ]


def test_another_written_order_is_another_filter():
    history = merged(run(MONDAY, ended(0, 1)), run(TUESDAY, ended(0, 1, shapes="ba")))
    assert [each.conjuncts for each in history] == [("b", "a"), ("a", "b")]


def test_a_filter_that_did_not_run_stays_as_it_was():
    known = run(MONDAY, ended(0, 1))
    assert merged(known, run(TUESDAY, ended(0, 1, 2))) == (*run(TUESDAY, ended(0, 1, 2)), *known)
    assert merged(known, ()) == known


@pytest.mark.parametrize(
    ("conjuncts", "runs"),
    [
        (("a",), {}),
        (("a", 1), {}),
        (("a", "b"), {"yesterday": (0, 1)}),
        (("a", "b"), {MONDAY: (0, 2)}),
        (("a", "b"), {MONDAY: (0, 0)}),
        (("a", "b"), {MONDAY: (0,)}),
        (("a", "b"), {MONDAY: (False, True)}),
    ],
)
def test_what_is_no_history_is_refused(conjuncts, runs):
    with pytest.raises(ValueError):
        FilterOrders(conjuncts, runs)
