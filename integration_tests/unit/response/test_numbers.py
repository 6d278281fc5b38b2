"""Numbers as a person reads them."""

from datetime import UTC, datetime

import pytest

from dbt.adapters.adaptive_spark.response.numbers import cost, counted, duration, share, size, when


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
    assert when(datetime(2026, 11, 22, 7, 16, 5, tzinfo=UTC)) == "2026-11-22 07:16 UTC"
