"""Filters of 100 predicates in nested AND and OR, and trees like TPC-H's Q19: execution against the
written order, and time to plan.

The random trees are those of a user who includes and excludes values of many dimensions: AND and OR take turns from the
root, two to five children each, leaves of which some cost a hundred times as much as others, all in random order; a
fixed seed each. The Q19-like ones are an OR of branches, each an AND on brand, container, quantity, size, mode and
instruction, again in random order. Planning is the time from SQL to `executedPlan` of the same filter without an
aggregate, so that adaptive execution does not put off a part of it until the query runs.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import geometric_mean, mean
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from measure import Case, compare, save, spark_session
from queries import KEYS, Ask, adaptive, configured, forget, passing, size, static, stored
from trees import CONTAINERS, INSTRUCTIONS, MODES, SIZES, q19, quoted, tree

ROWS, ROUNDS = size(2_000_000)
LEAVES = 100
TREES = 6
Q19_TREES = 4
PLANS = 5
# Planning takes a few ms and scatters more than execution does.
PLAN_ROUNDS = 4 * ROUNDS


def table(spark: SparkSession) -> DataFrame:
    """Integers c0 to c7, uniform in [0, 1024), a date, a string, and Q19's columns."""

    def one_of(values: list[str], seed: int) -> str:
        return f"array({quoted(values)})[cast(rand({seed}) * {len(values)} as int)]"

    return stored(
        spark,
        f"nested-{ROWS}",
        lambda: spark.range(0, ROWS, 1, 2).selectExpr(
            "id",
            *(f"cast(rand({i}) * 1024 as int) AS c{i}" for i in range(8)),
            "date_add(DATE '2020-01-01', cast(randn(8) * 365 as int)) AS d",
            "concat('item-', cast(abs(cast(randn(9) * 1000000 as bigint)) as string)) AS s",
            "concat('Brand#', 11 + cast(rand(10) * 25 as int)) AS brand",
            f"concat({one_of(SIZES, 11)}, ' ', {one_of(CONTAINERS, 12)}) AS container",
            "1 + cast(rand(13) * 50 as int) AS quantity",
            "1 + cast(rand(14) * 50 as int) AS size",
            f"{one_of(MODES, 15)} AS mode",
            f"{one_of(INSTRUCTIONS, 16)} AS instruction",
        ),
    )


def conditions() -> dict[str, str]:
    """All filters by name."""
    trees = {f"tree {seed}": tree(Random(seed), LEAVES, "AND" if seed % 2 else "OR") for seed in range(TREES)}
    return trees | {f"q19 {seed}": q19(Random(seed)) for seed in range(Q19_TREES)}


def planning(spark: SparkSession, text: str, enabled: str) -> Callable[[], str]:
    """Plans a query a few times, from its text; the schema is what both ways have to agree on."""

    def run() -> str:
        forget(spark)
        with configured(spark, {f"{KEYS}enabled": enabled}):
            for _ in range(PLANS):
                frame = spark.sql(text)
                frame._jdf.queryExecution().executedPlan()
        return frame.schema.json()

    return run


def cases(spark: SparkSession) -> tuple[list[Case], list[Case]]:
    """Execution of each filter; planning of each."""
    rows = table(spark)
    rows.createOrReplaceTempView("nested")

    def asking(condition: str) -> Ask:
        return lambda: passing(rows, condition, "id")

    execution = [
        Case(name, static(spark, asking(condition)), adaptive(spark, asking(condition)))
        for name, condition in conditions().items()
    ]
    texts = {name: f"SELECT * FROM nested WHERE {condition}" for name, condition in conditions().items()}
    plans = [
        Case(f"planning {name}", planning(spark, text, "false"), planning(spark, text, "true"))
        for name, text in texts.items()
    ]
    return execution, plans


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bars: the written order over ours, on average at least 2; planning with us over
    planning without, at most 1.05.
    """
    execution = [c for c in results if not c["case"].startswith("planning")]
    plans = [c for c in results if c["case"].startswith("planning")]
    return {
        "written_over_ours_mean": round(mean(c["ratio"] for c in execution), 3),
        "written_over_ours_geometric_mean": {
            kind: round(geometric_mean(c["ratio"] for c in execution if c["case"].startswith(kind)), 3)
            for kind in ("", "tree", "q19")
        },
        "least_written_over_ours": min(c["ratio"] for c in execution),
        "planning_ours_over_stock": round(
            sum(c["ours_s"] for c in plans) / sum(c["baseline_s"] for c in plans), 3
        ),
        "planning_ms": round(1000 * mean(c["ours_s"] for c in plans) / PLANS, 1),
    }


def main() -> None:
    with spark_session("nested") as spark:
        execution, plans = cases(spark)
        results = compare(execution, ROUNDS) + compare(plans, PLAN_ROUNDS)
        save("nested", ROWS, results, summary(results))


if __name__ == "__main__":
    main()
