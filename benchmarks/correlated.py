"""Conjuncts that imply each other: the policies `rank` and `conditional` against the best of
all static orders, the oracle.

All conjuncts cost the same. In each case some of them are copies: they pass the very same rows, so that once one of
them is evaluated, the others drop nothing. A policy that looks at each conjunct by itself cannot know, and evaluates
copies before conjuncts that would drop rows.

Since all cost the same, what an order costs is the number of evaluations a row, which one count of the joint outcomes
gives for every order. The oracle is the fastest, as measured, of the few orders with the fewest evaluations.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from measure import Case, compare, save, spark_session
from queries import (
    KEYS,
    Ask,
    Order,
    adaptive,
    by_speed,
    configured,
    conjunction,
    passing,
    size,
    static,
    stored,
)
from tagged import conjuncts, tags

ROWS, ROUNDS = size(5_000_000)

CONJUNCTS = conjuncts("abcde")

# The orders that are timed to find the oracle: at most so many, of those that take no more than so
# many times the fewest evaluations.
CANDIDATES = 3
NEARLY = 1.05

# By case, the conditions of a, b and so on; x and y are uniform and independent.
CASES = {
    # Four copies, and one that drops a little less: its place is second, by rank it is last.
    "four copies": ["x < 0.4", "x < 0.4", "x < 0.4", "x < 0.4", "y < 0.45"],
    # Three copies and two.
    "three and two": ["x < 0.4", "x < 0.4", "x < 0.4", "y < 0.45", "y < 0.45"],
    # Each implies the next: whatever passes a passes b, and whatever passes b passes c.
    "a chain": ["x < 0.36", "x < 0.38", "x < 0.40", "y < 0.45"],
}


def flags(name: str) -> dict[str, str]:
    """A case's conditions by letter."""
    return dict(zip(CONJUNCTS, CASES[name], strict=False))


def table(spark: SparkSession, name: str) -> DataFrame:
    """A case's flags, as tags."""
    return stored(
        spark,
        f"correlated-{ROWS}-{name.replace(' ', '-')}",
        lambda: (
            spark.range(0, ROWS, 1, 4)
            .selectExpr("id", "rand(1) AS x", "rand(2) AS y")
            .selectExpr("id", f"{tags(flags(name))} AS tags")
        ),
    )


def by_evaluations(spark: SparkSession, name: str) -> dict[Order, float]:
    """Evaluations a row of each order, fewest first; of orders that only swap copies, one."""
    letters = tuple(flags(name))
    with configured(spark, {f"{KEYS}enabled": "false"}):
        counted = (
            table(spark, name)
            .groupBy(*(F.expr(CONJUNCTS[letter]).alias(letter) for letter in letters))
            .count()
            .collect()
        )
    rows = sum(int(outcome["count"]) for outcome in counted)

    def evaluations(order: Order) -> float:
        def reaching(place: int) -> int:
            return sum(int(o["count"]) for o in counted if all(o[letter] for letter in order[:place]))

        return sum(reaching(place) for place in range(len(order))) / rows

    conditions = flags(name)
    orders = {tuple(conditions[letter] for letter in order): order for order in permutations(letters)}
    cost = {order: evaluations(order) for order in orders.values()}
    return dict(sorted(cost.items(), key=lambda item: item[1]))


def cases(spark: SparkSession, name: str) -> list[Case]:
    """The oracle against each policy, from the oracle's order, the worst, and the one in which copies come first."""
    rows = table(spark, name)

    def asking(order: Order) -> Ask:
        return lambda: passing(rows, conjunction(CONJUNCTS, order), "id", "tags")

    evaluations = by_evaluations(spark, name)
    fewest = min(evaluations.values())
    few = [order for order, cost in evaluations.items() if cost <= NEARLY * fewest][:CANDIDATES]
    oracle = next(iter(by_speed(spark, {order: asking(order) for order in few}, ROUNDS)))
    written = {"oracle": oracle, "worst": list(evaluations)[-1], "copies first": tuple(flags(name))}
    return [
        Case(
            f"{name}, {kind} written",
            static(spark, asking(oracle)),
            adaptive(spark, asking(order), {"policy": "conditional"}),
            {"rank": adaptive(spark, asking(order), {"policy": "rank"})},
        )
        for kind, order in written.items()
    ]


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bars: `rank`'s worst over `conditional`'s, at least 1.2 in the case that shows it best; ours
    over the oracle, at most 1.05.
    """
    slowest: dict[str, dict[str, float]] = {}
    over_oracle: dict[str, list[float]] = {"rank": [], "conditional": []}
    for result in results:
        times = slowest.setdefault(result["case"].split(", ")[0], {})
        for policy, seconds in (("rank", result["rank_s"]), ("conditional", result["ours_s"])):
            times[policy] = max(times.get(policy, 0.0), seconds)
            over_oracle[policy].append(seconds / result["baseline_s"])
    gains = {case: round(times["rank"] / times["conditional"], 3) for case, times in slowest.items()}
    return {
        "rank_worst_over_conditional_worst": gains,
        "largest_rank_worst_over_conditional_worst": max(gains.values()),
        "worst_over_oracle": {policy: round(max(shares), 3) for policy, shares in over_oracle.items()},
        "mean_over_oracle": {
            policy: round(sum(shares) / len(shares), 3) for policy, shares in over_oracle.items()
        },
    }


def main() -> None:
    with spark_session("correlated") as spark:
        results = compare([case for name in CASES for case in cases(spark, name)], ROUNDS)
        save("correlated", ROWS, results, summary(results))


if __name__ == "__main__":
    main()
