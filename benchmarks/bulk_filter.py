"""Nested lists of a million values over five million rows: the SQL of `bulk_filter` in the order of cost against the order as written.

The shapes are those of nested filters ordered by cost: lists below AND and OR, written with the costly part first. `shares` are ordered by what each list leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import geometric_mean
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.bulk_filter import Leaf, bulk_filter_sql, ordered, parsed
from measure import Case, compare, save, spark_session
from qubole import STOCK
from queries import Found, size, stored, under

ROWS, ROUNDS = size(5_000_000)
COLUMNS = "abcdef"
VALUES = ROWS // 5
# Distinct values of each column; a list has VALUES of them.
DISTINCT = {name: VALUES * (at + 2) for at, name in enumerate(COLUMNS)}


def leaf(name: str, keeps: str = "include") -> dict[str, Any]:
    """The list of a column, which is a view named after it."""
    return {"column": name, keeps: List(f"list_{name}")}


class List:
    """A relation, as Jinja would hand it over."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


A, B, C, D, E = (leaf(name) for name in "abcde")
SHAPES: dict[str, dict[str, Any]] = {
    "(b or c) and a": {"and": [{"or": [B, C]}, A]},
    "(b or c) and a and (d and e)": {"and": [{"or": [B, C]}, A, {"and": [D, E]}]},
    "(a or b) and c and (d or f)": {"and": [{"or": [A, B]}, C, {"or": [D, leaf("f")]}]},
    "a and (b or c) and (d and e) and (f and (a or b))": {
        "and": [A, {"or": [B, C]}, {"and": [D, E]}, {"and": [leaf("f"), {"or": [A, B]}]}]
    },
    "not a and (b or c) and d": {"and": [leaf("a", "exclude"), {"or": [B, C]}, D]},
}


def share(leaf: Leaf) -> float:
    """What statistics would say."""
    kept = VALUES / DISTINCT[leaf.column]
    return kept if leaf.keeps else 1 - kept


def register(spark: SparkSession) -> None:
    """The rows, and a list for each column."""
    columns = [f"pmod(xxhash64(id, {at}), {DISTINCT[name]}L) as {name}" for at, name in enumerate(COLUMNS)]
    rows = stored(spark, f"bulk-{ROWS}", lambda: spark.range(0, ROWS, 1, 4).selectExpr("id", *columns))
    rows.createOrReplaceTempView("bulk_rows")
    values = stored(spark, f"bulk-list-{VALUES}", lambda: spark.range(0, VALUES, 1, 2).toDF("id"))
    for name in COLUMNS:
        values.withColumnRenamed("id", name).createOrReplaceTempView(f"list_{name}")


def asking(spark: SparkSession, query: str) -> Callable[[], Found]:
    """The number of rows and a fingerprint of them."""
    text = f"select count(*), bit_xor(xxhash64(id)) from ({query})"
    return under(spark, STOCK, lambda: tuple(spark.sql(text).collect()[0]), remember=True)


def main() -> None:
    with spark_session("bulk_filter") as spark:
        register(spark)
        cases = []
        for name, shape in SHAPES.items():
            tree = parsed(shape)
            ways = [tree, ordered(tree), ordered(tree, share)]
            written, by_cost, by_share = (asking(spark, bulk_filter_sql("bulk_rows", way)) for way in ways)
            cases.append(Case(name, written, by_cost, {"shares": by_share}))
        results = compare(cases, ROUNDS)
        save("bulk_filter", ROWS, results, summary(results))


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bar: 1.5 times as fast on average."""
    return {
        "by_cost": round(geometric_mean(case["ratio"] for case in results), 3),
        "by_share": round(geometric_mean(case["baseline_s"] / case["shares_s"] for case in results), 3),
    }


if __name__ == "__main__":
    main()
