"""String conjuncts on columns of few distinct values, which Parquet stores as dictionaries, against
stock Spark's best static order.

A predicate can be evaluated once for each entry of a dictionary instead of once for each row. The cases
go from conjuncts that cost much for each row to ones that cost next to nothing; each has three, on
columns of 8 to 1,000 distinct values.
"""

from __future__ import annotations

from itertools import permutations
from statistics import geometric_mean
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from measure import Case, compare, save, spark_session
from queries import Ask, Order, adaptive, by_speed, conjunction, passing, size, static, stored

ROWS, ROUNDS = size(10_000_000)

CASES = {
    "like": ["agent LIKE '%Linux%1_.%'", "city LIKE '%o_t%7%'", "status LIKE 'a%e%'"],
    "regex": [
        "agent RLIKE 'Browser/[1-4][0-9]*\\\\.[0-9]'",
        "city RLIKE '^(north|south).*[0-4]$'",
        "status RLIKE 'a.*e'",
    ],
    "functions": [
        "upper(substring(agent, 1, 4)) = 'LINU'",
        "length(trim(city)) < 9",
        "lower(status) IN ('active', 'paused', 'late')",
    ],
    "comparisons": [
        "agent < 'M'",
        "city >= 'north' AND city < 'o'",
        "status IN ('active', 'paused', 'late')",
    ],
}
STATUSES = "array('active', 'paused', 'late', 'closed', 'open', 'new', 'old', 'lost')"


def table(spark: SparkSession) -> DataFrame:
    """Columns agent (400 values of some 60 bytes), city (1,000) and status (8), uniform and independent."""
    return stored(
        spark,
        f"dictionary-{ROWS}",
        lambda: (
            spark.range(0, ROWS, 1, 4)
            .selectExpr("id", "cast(rand(1) * 400 as int) AS a", "cast(rand(2) * 1000 as int) AS c")
            .selectExpr(
                "id",
                "concat(array('Linux', 'Windows', 'Macintosh', 'Android')[a % 4], '; rv:', a, '.0) Engine/20100101 Browser/', a, '.', a % 7)"
                " AS agent",
                "concat(array('north', 'south', 'east', 'west')[c % 4], '-', c) AS city",
                f"{STATUSES}[cast(rand(3) * 8 as int)] AS status",
            )
        ),
    )


def cases(spark: SparkSession) -> list[Case]:
    """The best static order, which is searched for, against adaptive filters that start from the worst."""
    rows = table(spark)
    found = []
    for name, predicates in CASES.items():
        conjuncts = {str(i): predicate for i, predicate in enumerate(predicates)}

        def asking(order: Order, conjuncts: dict[str, str] = conjuncts) -> Ask:
            return lambda: passing(rows, conjunction(conjuncts, order), "id")

        orders = list(by_speed(spark, {order: asking(order) for order in permutations(conjuncts)}, ROUNDS))
        found.append(Case(name, static(spark, asking(orders[0])), adaptive(spark, asking(orders[-1]))))
    return found


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bar: the best static order over ours, at least 2."""
    ratios = [case["ratio"] for case in results]
    return {
        "best_static_over_ours": {case["case"]: case["ratio"] for case in results},
        "least_best_static_over_ours": min(ratios),
        "geometric_mean": round(geometric_mean(ratios), 3),
    }


def main() -> None:
    with spark_session("dictionary") as spark:
        results = compare(cases(spark), ROUNDS)
        save("dictionary", ROWS, results, summary(results))


if __name__ == "__main__":
    main()
