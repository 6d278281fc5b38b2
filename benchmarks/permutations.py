"""Figure 1 of arXiv 1905.01349: every written order of four conjuncts, Spark's static filter against the adaptive one.

One attribute each of date, integer and string, normally distributed; two conjuncts on the
integer; about 4.5 % of the rows pass.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from measure import Case, compare, save, spark_session
from queries import adaptive, conjunction, passing, selectivity, size, static, stored

ROWS, ROUNDS = size(20_000_000)
NAME = f"permutations-{ROWS}"
FILES = 8

CONJUNCTS = {
    "date": "d >= DATE '2019-10-15'",
    "low": "i > 0",
    "high": "i < 1000",
    "text": "s LIKE '%1%2%'",
}


def records(spark: SparkSession, mean: str = "0") -> DataFrame:
    """The date d, the integer i, whose mean may depend on the id, and the string s."""
    return spark.range(0, ROWS, 1, FILES).selectExpr(
        "date_add(DATE '2020-01-01', cast(randn(1) * 365 as int)) AS d",
        f"cast(randn(2) * 1000 + {mean} as int) AS i",
        "concat('item-', cast(abs(cast(randn(3) * 1000000 as bigint)) as string)) AS s",
    )


def table(spark: SparkSession) -> DataFrame:
    """The records, as Parquet."""
    return stored(spark, NAME, lambda: records(spark))


def case(spark: SparkSession, rows: DataFrame, order: tuple[str, ...]) -> Case:
    """One written order, static and adaptive."""

    def ask() -> DataFrame:
        return passing(rows, conjunction(CONJUNCTS, order), "d", "i", "s")

    return Case(" ".join(order), static(spark, ask), adaptive(spark, ask))


def summary(cases: list[dict[str, Any]], passed: float) -> dict[str, Any]:
    """The bars: how far every written order ends from the best static one, and how far the
    worst static order is left behind.
    """
    static = [c["baseline_s"] for c in cases]
    adaptive = sorted(c["ours_s"] for c in cases)
    worst = max(cases, key=lambda c: float(c["baseline_s"]))
    median = (adaptive[len(adaptive) // 2 - 1] + adaptive[len(adaptive) // 2]) / 2
    return {
        "selectivity": round(passed, 4),
        "best_static_s": min(static),
        "worst_static_s": max(static),
        "static_worst_over_best": round(max(static) / min(static), 3),
        "adaptive_median_over_best_static": round(median / min(static), 3),
        "adaptive_worst_over_best_static": round(adaptive[-1] / min(static), 3),
        "worst_static_over_its_adaptive": worst["ratio"],
        "worst_static_over_worst_adaptive": round(max(static) / adaptive[-1], 3),
    }


def main() -> None:
    with spark_session("permutations") as spark:
        rows = table(spark)
        passed = selectivity(rows, conjunction(CONJUNCTS, CONJUNCTS))
        cases = compare([case(spark, rows, order) for order in permutations(CONJUNCTS)], ROUNDS)
        save("permutations", ROWS, cases, summary(cases, passed))


if __name__ == "__main__":
    main()
