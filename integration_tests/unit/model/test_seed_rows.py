"""A seed's values as texts that Spark's casts read, in statements of a bounded size."""

import datetime
import json
from decimal import Decimal

from dbt.adapters.adaptive_spark.model.seed_rows import seed_chunks


def test_values_of_every_type():
    row = [
        None,
        True,
        Decimal("1E+3"),
        Decimal("0.10"),
        Decimal("10.00"),
        datetime.date(2026, 1, 2),
        datetime.datetime(2026, 1, 2, 3, 4),
        "ü'\"\n",
    ]
    (chunk,) = seed_chunks([row])
    assert json.loads(chunk) == [
        [None, "true", "1000", "0.1", "10", "2026-01-02", "2026-01-02 03:04:00", "ü'\"\n"]
    ]


def test_chunks_are_bounded_and_nothing_is_lost():
    rows = [[str(i), "x" * 10] for i in range(100)]
    chunks = list(seed_chunks(rows, characters=200))
    assert len(chunks) > 5
    assert all(len(chunk) < 300 for chunk in chunks)
    assert [row for chunk in chunks for row in json.loads(chunk)] == rows


def test_what_spark_would_replace_is_written_otherwise():
    (chunk,) = seed_chunks([["${spark.app.name}", "$ {", "\\${"]])
    assert "${" not in chunk
    assert json.loads(chunk) == [["${spark.app.name}", "$ {", "\\${"]]


def test_no_rows():
    assert list(seed_chunks([])) == ["[]"]
