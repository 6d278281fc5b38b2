"""Figure 1 of arXiv 1905.01349: every written order of four conjuncts, Spark's static filter against the adaptive one.

One attribute each of date, integer and string, normally distributed; two conjuncts on the integer; about 4.5 % of the rows pass.
"""

from __future__ import annotations

import os
from itertools import permutations
from typing import Any

from pyspark.sql import SparkSession

from measure import DATA, Case, compare, save, spark_session

ROWS = int(os.environ.get("ROWS", "20000000"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))

CONJUNCTS = {
    "date": "d >= DATE '2019-10-15'",
    "low": "i > 0",
    "high": "i < 1000",
    "text": "s LIKE '%1%2%'",
}


def table(spark: SparkSession) -> str:
    """Path of the Parquet table, written on the first run."""
    path = DATA / f"permutations-{ROWS}"
    if not (path / "_SUCCESS").exists():
        spark.range(0, ROWS, 1, 8).selectExpr(
            "date_add(DATE '2020-01-01', cast(randn(1) * 365 as int)) AS d",
            "cast(randn(2) * 1000 as int) AS i",
            "concat('item-', cast(abs(cast(randn(3) * 1000000 as bigint)) as string)) AS s",
        ).write.mode("overwrite").parquet(str(path))
    return str(path)


def case(spark: SparkSession, order: tuple[str, ...]) -> Case:
    """One written order; both sides count the rows that pass."""
    query = f"SELECT count(*) FROM t WHERE {' AND '.join(CONJUNCTS[name] for name in order)}"

    def run(adaptive: str) -> int:
        spark.conf.set("spark.sql.adaptiveFilter.enabled", adaptive)
        return int(spark.sql(query).first()[0])

    return Case(" ".join(order), baseline=lambda: run("false"), ours=lambda: run("true"))


def summary(cases: list[dict[str, Any]], selectivity: float) -> dict[str, Any]:
    """The bars: how far every written order ends from the best static one, and how far the worst static order is left behind."""
    static = [c["baseline_s"] for c in cases]
    adaptive = sorted(c["ours_s"] for c in cases)
    worst = max(cases, key=lambda c: float(c["baseline_s"]))
    median = (adaptive[len(adaptive) // 2 - 1] + adaptive[len(adaptive) // 2]) / 2
    return {
        "selectivity": round(selectivity, 4),
        "best_static_s": min(static),
        "worst_static_s": max(static),
        "static_worst_over_best": round(max(static) / min(static), 3),
        "adaptive_median_over_best_static": round(median / min(static), 3),
        "adaptive_worst_over_best_static": round(adaptive[-1] / min(static), 3),
        "worst_static_over_its_adaptive": worst["ratio"],
        "worst_static_over_worst_adaptive": round(max(static) / adaptive[-1], 3),
        "aa_range": [min(c["aa_ratio"] for c in cases), max(c["aa_ratio"] for c in cases)],
    }


def main() -> None:
    with spark_session("permutations") as spark:
        spark.read.parquet(table(spark)).createOrReplaceTempView("t")
        condition = " AND ".join(CONJUNCTS.values())
        passed = spark.sql(f"SELECT count_if({condition}) / count(*) FROM t").first()[0]
        cases = compare([case(spark, order) for order in permutations(CONJUNCTS)], ROUNDS)
        save("permutations", ROWS, cases, summary(cases, float(passed)))


if __name__ == "__main__":
    main()
