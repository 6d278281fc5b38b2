"""Random filters: SQL conditions over typed, nullable columns with extreme values, some of which throw under ANSI."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

SCHEMA = (
    "id BIGINT, b TINYINT, h SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, m DECIMAL(10,2), n DECIMAL(38,6),"
    " s STRING, x BINARY, o BOOLEAN, dt DATE, ts TIMESTAMP, a ARRAY<INT>"
)

COLUMNS = [column.split()[0] for column in SCHEMA.split(", ")]

_VALUES: dict[str, list[Any]] = {
    "b": [-128, -1, 0, 1, 2, 3, 127],
    "h": [-32768, -7, 0, 1, 5, 32767],
    "i": [-(2**31), -5, -1, 0, 1, 2, 3, 7, 2**31 - 1],
    "l": [-(2**63), -9, 0, 1, 4, 10**12, 2**63 - 1],
    "f": [float("nan"), float("inf"), -0.0, 0.0, 1.5, -2.25],
    "d": [float("nan"), float("-inf"), -0.0, 0.0, 0.5, 3.75, 1e300],
    "m": [Decimal("-99999999.99"), Decimal("0.00"), Decimal("1.50"), Decimal("99999999.99")],
    "n": [Decimal("-1e31"), Decimal("0"), Decimal("2.000001"), Decimal("9e31")],
    "s": ["", "a", "ab", "abc", "b%c", "12", "-3", "2020-02-30", "ä", "A b", "7 "],
    "x": [b"", b"a", b"\x00\xff"],
    "o": [True, False],
    "dt": [date(1, 1, 1), date(1970, 1, 1), date(2020, 2, 29), date(9999, 12, 31)],
    "ts": [datetime(1970, 1, 1), datetime(2020, 3, 29, 2, 30), datetime(2038, 1, 19)],
    "a": [[], [1], [1, 2, 3], [0, 7]],
}


def rows(count: int, seed: int) -> list[tuple[Any, ...]]:
    """`count` rows of SCHEMA: extremes, a sixth nulls, and a column that drifts so that
    the order has a reason to change.
    """
    source = random.Random(seed)

    def value(column: str, at: int) -> Any:
        if source.random() < 1 / 6:
            return None
        if column == "dt" and at % 2:
            return date(2019, 1, 1) + timedelta(days=at % 700)
        return source.choice(_VALUES[column])

    return [(at, *(value(column, at) for column in _VALUES)) for at in range(count)]


_NUMBERS = ("b", "h", "i", "l", "f", "d", "m", "n")
_INTEGERS = ("b", "h", "i", "l")
_COMPARE = st.sampled_from(["<", "<=", "=", "<>", ">", ">=", "<=>"])
_NUMBER = st.sampled_from(_NUMBERS)
_INTEGER = st.sampled_from(_INTEGERS)
_CONSTANT = st.sampled_from(["0", "1", "3", "-1", "1.5", "CAST('NaN' AS DOUBLE)", "NULL", "-0.0D"])
_PATTERN = st.sampled_from(["'a%'", "'%b%'", "'%c'", "'a_c'", "'%a%c%'", "'%'", "''"])


def _sql(template: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda values: template.format(*values))


SAFE = st.one_of(
    _sql("{} {} {}", _NUMBER, _COMPARE, _CONSTANT),
    _sql("{} {} {}", _NUMBER, _COMPARE, _NUMBER),
    _sql("s LIKE {}", _PATTERN),
    _sql("s RLIKE '^[a-z]+{}$'", st.sampled_from(["", "c", "1"])),
    _sql("upper(s) {} 'AB'", _COMPARE),
    _sql("length(s) {} {}", _COMPARE, st.sampled_from(["1", "2", "3"])),
    _sql("{} IS {} NULL", st.sampled_from(list(_VALUES)), st.sampled_from(["", "NOT"])),
    _sql("{} IN (0, 1, {})", _INTEGER, st.sampled_from(["3", "7", "NULL"])),
    _sql("dt {} DATE '2020-0{}-01'", _COMPARE, st.integers(1, 9).map(str)),
    _sql("year(dt) {} 2019", _COMPARE),
    _sql("ts {} TIMESTAMP '2020-01-01 00:00:00'", _COMPARE),
    _sql("coalesce({}, 1) > 0", _NUMBER),
    _sql("try_divide(i, {}) > 1", _INTEGER),
    _sql("isnan({})", st.sampled_from(["f", "d"])),
    st.sampled_from(["o", "NOT o", "x = X'61'", "a = array(1)", "CASE WHEN o THEN i > 0 ELSE l > 0 END"]),
)

MAY_THROW = st.one_of(
    _sql("{} / {} > 1", _INTEGER, _INTEGER),
    _sql("{} % {} = 1", _INTEGER, _INTEGER),
    _sql("{} + {} > 0", _INTEGER, _INTEGER),
    _sql("{} * 2000000000 > 0", _INTEGER),
    _sql("CAST(s AS {}) IS NOT NULL", st.sampled_from(["INT", "DATE", "DOUBLE", "BOOLEAN"])),
    _sql("CAST({} AS TINYINT) > 0", st.sampled_from(["i", "l", "d"])),
    _sql("element_at(a, {}) > 0", st.sampled_from(["i", "1", "3"])),
    st.sampled_from(["n * n > 0", "abs(i) > 1", "-l > 0", "make_date(i, 2, 30) > dt", "m * 1000000 > n"]),
)

GUARDED_PAIR = st.sampled_from(
    [
        "i <> 0 AND l / i > 1",
        "b > 0 AND h % b = 0",
        "s = '12' AND CAST(s AS INT) = 12",
        "size(a) > 2 AND element_at(a, 3) = 3",
    ]
)


def _combined(leaf: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            _sql("({} OR {})", inner, inner), _sql("({} AND {})", inner, inner), _sql("NOT ({})", inner)
        ),
        max_leaves=4,
    )


def conjunctions(leaf: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Two to six conjuncts, each a small tree of `leaf`."""
    return st.lists(_combined(leaf), min_size=2, max_size=6).map(" AND ".join)


# Where the rows come from: a scan; a projection that a filter is not pushed through (it is not deterministic), which
# passes columns on or computes them where they are used, and may throw there; an aggregate; a join.
SOURCES = st.sampled_from(
    [
        "t",
        "(SELECT *, rand(1) AS r FROM t)",
        f"(SELECT {', '.join(each for each in COLUMNS if each not in 'is')}, 7 / i AS i, upper(s) AS s, rand(1) AS r FROM t)",
        "(SELECT id, b, h, i, l, f, d, m, n, s, x, o, dt, ts, max(a) AS a, sum(i) / sum(b) AS r FROM t"
        " GROUP BY id, b, h, i, l, f, d, m, n, s, x, o, dt, ts)",
        "(SELECT u.*, v.i AS r FROM t AS u LEFT JOIN t AS v ON u.b = v.b AND v.id < 9)",
    ]
)
