"""Numbers as a person reads them."""

from datetime import datetime, timezone

import pytest

from dbt.adapters.adaptive_spark.response.numbers import (
    about,
    cost,
    counted,
    duration,
    listed,
    plural,
    share,
    size,
    when,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_951, "1.0 MB"),
        (5_279_700, "5.3 MB"),
        (10**15, "1.0 PB"),
        (10**20, "100000.0 PB"),
    ],
)
def test_sizes(number, text):
    assert size(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.00 s"),
        (9.994, "9.99 s"),
        (9.996, "10.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (3599.6, "1 h 0 min"),
        (100_000, "27 h 46 min"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [(0, "0%"), (1, "100%"), (0.9999, ">99.9%"), (0.00001, "<0.1%"), (0.125, "12.5%"), (0.1, "10%")],
)
def test_shares_that_are_not_all_do_not_look_so(part, text):
    assert share(part) == text


def test_the_others():
    assert (counted(1, "row"), counted(27004, "row"), counted(0, "try", "tries")) == (
        "1 row",
        "27,004 rows",
        "0 tries",
    )
    assert (cost(9.94), cost(9.96), cost(4251.4)) == ("9.9", "10", "4,251")
    assert when(datetime(2026, 11, 22, 7, 16, 5, tzinfo=timezone.utc)) == "2026-11-22 07:16 UTC"


def test_a_word_alone_goes_by_its_number():
    assert [plural(number, "reads", "read") for number in (0, 1, 2)] == ["read", "reads", "read"]
    assert [plural(number, "table") for number in (1, 2)] == ["table", "tables"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (285, "285"),
        (1_234, "1,230"),
        (118_204, "118,000"),
        (999_999, "1 million"),
        (12_418_233, "12.4 million"),
        (1_204_000_000, "1.2 billion"),
        (3 * 10**12, "3 trillion"),
    ],
)
def test_estimates_have_three_digits(number, text):
    assert about(number) == text


@pytest.mark.parametrize(
    ("names", "text"),
    [("", ""), ("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcd", "a, b, c and 1 more")],
)
def test_names_in_a_sentence(names, text):
    assert listed(list(names), 3) == text
