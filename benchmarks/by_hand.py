"""A query of TPC-DS with the days of its facts written in by hand: what a filter from `date_dim`
gains that costs nothing to find.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp, parse_one

# Ten of the queries whose facts are joined with some days of date_dim.
SAMPLE = frozenset({"q3", "q7", "q12", "q15", "q19", "q20", "q42", "q52", "q55", "q98"})
DAY = "d_date_sk"

# Facts have none of earlier or later years.
YEARS = "d_year between 1998 and 2003"


def with_ranges(text: str, numbers: Callable[[str], list[int]]) -> str:
    """The query with `key BETWEEN … OR …` for each key of a fact that it joins with filtered days.

    `numbers` gives the days that a query finds.
    """
    tree = parse_one(text, dialect="spark")
    for select in tree.find_all(exp.Select):
        where = select.args.get("where")
        if where is None:
            continue
        for days in _tables(select, "date_dim"):
            conjuncts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
            own = [each.sql("spark") for each in conjuncts if _is_of(each, days, _is_alone(select))]
            keys = [key for each in conjuncts if (key := _joined(each, days)) is not None]
            if own and keys:
                found = numbers(f"select {DAY} from date_dim {days} where {' and '.join([*own, YEARS])}")
                for key in keys:
                    within = " or ".join(f"{key} between {a} and {b}" for a, b in ranges(found))
                    where.set("this", exp.and_(where.this, within or "false", copy=False))
    # these queries have commas, of which sqlglot makes joins of a kind that Spark's own bloom filters leave alone
    return tree.sql("spark").replace(" CROSS JOIN ", ", ")


def ranges(days: list[int]) -> list[tuple[int, int]]:
    """The runs of days without a gap, each by its first and last."""
    found: list[tuple[int, int]] = []
    for day in sorted(days):
        if found and found[-1][1] + 1 >= day:
            found[-1] = (found[-1][0], day)
        else:
            found.append((day, day))
    return found


def _tables(select: exp.Select, name: str) -> list[str]:
    """The aliases under which a SELECT reads a table."""
    sources = [select.args.get("from_") or select.args.get("from"), *(select.args.get("joins") or [])]
    return [each.this.alias_or_name for each in sources if each is not None and each.this.name == name]


def _is_alone(select: exp.Select) -> bool:
    return len(_tables(select, "date_dim")) == 1


def _is_of(conjunct: exp.Expr, days: str, alone: bool) -> bool:
    """True if the conjunct has columns, all of `days`, and no subquery."""
    columns = list(conjunct.find_all(exp.Column))
    return (
        bool(columns) and not conjunct.find(exp.Select) and all(_names(each, days, alone) for each in columns)
    )


def _names(column: exp.Column, days: str, alone: bool) -> bool:
    return column.table == days or (alone and not column.table and column.name.startswith("d_"))


def _joined(conjunct: exp.Expr, days: str) -> str | None:
    """The key of `key = d_date_sk`."""
    if not isinstance(conjunct, exp.EQ):
        return None
    for side, other in ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left)):
        if (
            isinstance(side, exp.Column)
            and isinstance(other, exp.Column)
            and side.name == DAY
            and side.table in ("", days)
            and other.name.endswith("_date_sk")
        ):
            return other.sql("spark")
    return None
