"""The second run of a set of queries against the first: what it is worth to remember what filters learned.

The queries are short, so that learning is a good part of them, and written in their worst order. The first run starts
with an empty memory, the second right after it, with what the first one left. The best static order of stock Spark is
measured beside them: from the first row in the best order, a second run takes no longer than that.
"""

from __future__ import annotations

from itertools import permutations
from statistics import geometric_mean
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession

from measure import Case, compare, save, spark_session
from queries import Ask, Order, adaptive, by_speed, conjunction, forget, passing, size, static, stored

ROWS, ROUNDS = size(2_000_000, rounds=5)

QUERIES = {
    "integers": {"a": "c0 < 512", "b": "c1 < 256", "c": "c2 < 64", "d": "c3 < 900"},
    "text": {
        "like": "s LIKE '%1%2%'",
        "rlike": "s RLIKE '[02468]$'",
        "low": "c0 < 300",
        "bits": "(c1 & 7) = 1",
    },
    "dates": {"since": "d >= DATE '2019-10-15'", "month": "month(d) = 3", "weekday": "dayofweek(d) = 2"},
    "mixed": {"like": "s LIKE '%7%'", "date": "d < DATE '2019-06-01'", "low": "c2 < 100"},
}


def table(spark: SparkSession) -> DataFrame:
    """Integers c0 to c3, uniform in [0, 1024), a date and a string."""
    return stored(
        spark,
        f"warm-{ROWS}",
        lambda: spark.range(0, ROWS, 1, 2).selectExpr(
            "id",
            *(f"cast(rand({i + 1}) * 1024 as int) AS c{i}" for i in range(4)),
            "date_add(DATE '2020-01-01', cast(randn(5) * 365 as int)) AS d",
            "concat('item-', cast(abs(cast(randn(6) * 1000000 as bigint)) as string)) AS s",
        ),
    )


def queries(spark: SparkSession) -> dict[str, dict[Order, float]]:
    """For each query its orders by time under stock Spark, fastest first."""
    rows = table(spark)
    return {
        name: by_speed(spark, {order: asking(rows, name, order) for order in permutations(conjuncts)}, ROUNDS)
        for name, conjuncts in QUERIES.items()
    }


def asking(rows: DataFrame, name: str, order: Order) -> Ask:
    """A query in an order."""
    return lambda: passing(rows, conjunction(QUERIES[name], order), "id")


def cases(spark: SparkSession, orders: dict[str, dict[Order, float]]) -> list[Case]:
    """For each query: the second run against the first, and against the best static order."""
    rows = table(spark)
    found = []
    for name, by_time in orders.items():
        best, *_, worst = by_time
        first = adaptive(spark, asking(rows, name, worst))
        # Runs right after `first` or after itself.
        second = adaptive(spark, asking(rows, name, worst), remember=True)
        found.append(Case(f"{name}, first run", first, second))
        found.append(Case(f"{name}, best static order", static(spark, asking(rows, name, best)), second))
    return found


def reorderings(spark: SparkSession, orders: dict[str, dict[Order, float]]) -> dict[str, dict[str, int]]:
    """How often the order changed in a first and in a second run of each query; 0 in a second one that
    started with what it ended with.
    """
    rows = table(spark)

    def changes() -> int:
        row: Row | None = spark.sql(
            "SELECT max_by(reorderings, filter_id) FROM adaptive_filter_stats()"
        ).first()
        return int(row[0]) if row and row[0] is not None else 0

    found = {}
    for name, by_time in orders.items():
        again = adaptive(spark, asking(rows, name, list(by_time)[-1]), remember=True)
        forget(spark)
        counts = []
        for _ in range(2):
            again()
            counts.append(changes())
        found[name] = {"first": counts[0], "second": counts[1]}
    return found


def summary(results: list[dict[str, Any]], changed: dict[str, dict[str, int]]) -> dict[str, Any]:
    """The bar: the second run is in the best order from the first row, so its time over the best static
    order is at most 1 within noise.
    """
    ratios = {case["case"]: case["ratio"] for case in results}
    first = [ratio for case, ratio in ratios.items() if case.endswith("first run")]
    best = [ratio for case, ratio in ratios.items() if case.endswith("static order")]
    return {
        "first_over_second_geometric_mean": round(geometric_mean(first), 3),
        "second_over_best_static_geometric_mean": round(1 / geometric_mean(best), 3),
        "second_over_best_static_worst": round(1 / min(best), 3),
        "reorderings": changed,
    }


def main() -> None:
    with spark_session("warm") as spark:
        orders = queries(spark)
        results = compare(cases(spark, orders), ROUNDS)
        save("warm", ROWS, results, summary(results, reorderings(spark, orders)))


if __name__ == "__main__":
    main()
