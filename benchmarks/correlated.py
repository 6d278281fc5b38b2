"""Conjuncts that imply each other: the policies `rank` and `conditional` against the best of all static orders, the oracle.

All conjuncts cost the same. In each case some of them are copies: they pass the very same rows, so that once one of them is evaluated, the
others drop nothing. A policy that looks at each conjunct by itself cannot know, and evaluates copies before conjuncts that would drop rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from measure import Case, compare, save, spark_session
from queries import Ask, Order, adaptive, by_speed, conjunction, has_setting, passing, size, static, stored
from tagged import conjuncts, tags

ROWS, ROUNDS = size(5_000_000)

CONJUNCTS = conjuncts("abcde")

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


def distinct_orders(name: str) -> Iterable[Order]:
    """All orders, but one of those that only swap copies."""
    conditions = flags(name)
    return {tuple(conditions[x] for x in order): order for order in permutations(conditions)}.values()


def policies(spark: SparkSession) -> list[dict[str, str]]:
    """The settings to compare: of a build without a choice, what it has, which is `rank`."""
    return [{"policy": "rank"}, {"policy": "conditional"}] if has_setting(spark, "policy") else [{}]


def cases(spark: SparkSession, name: str) -> list[Case]:
    """The oracle against each policy, from the oracle's order, the worst, and the one in which copies come first."""
    rows = table(spark, name)

    def asking(order: Order) -> Ask:
        return lambda: passing(rows, conjunction(CONJUNCTS, order), "id", "tags")

    orders = list(by_speed(spark, {order: asking(order) for order in distinct_orders(name)}, ROUNDS))
    written = {"oracle": orders[0], "worst": orders[-1], "copies first": tuple(flags(name))}
    return [
        Case(
            f"{name}, {settings.get('policy', 'rank')}, {kind} written",
            static(spark, asking(orders[0])),
            adaptive(spark, asking(order), settings),
        )
        for settings in policies(spark)
        for kind, order in written.items()
    ]


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bars: `rank`'s worst over `conditional`'s, at least 1.2 in the case that shows it best; ours over the oracle, at most 1.05."""
    slowest: dict[str, dict[str, float]] = {}
    over_oracle: dict[str, list[float]] = {}
    for result in results:
        case, policy, _ = result["case"].split(", ")
        times = slowest.setdefault(case, {})
        times[policy] = max(times.get(policy, 0.0), result["ours_s"])
        over_oracle.setdefault(policy, []).append(result["ours_s"] / result["baseline_s"])
    gains = {
        case: round(times["rank"] / times["conditional"], 3)
        for case, times in slowest.items()
        if "conditional" in times
    }
    return {
        "rank_worst_over_conditional_worst": gains,
        "largest_rank_worst_over_conditional_worst": max(gains.values(), default=None),
        "worst_over_oracle": {policy: round(max(shares), 3) for policy, shares in over_oracle.items()},
        "mean_over_oracle": {
            policy: round(sum(shares) / len(shares), 3) for policy, shares in over_oracle.items()
        },
        "aa_range": [min(c["aa_ratio"] for c in results), max(c["aa_ratio"] for c in results)],
    }


def main() -> None:
    with spark_session("correlated") as spark:
        results = compare([case for name in CASES for case in cases(spark, name)], ROUNDS)
        save("correlated", ROWS, results, summary(results))


if __name__ == "__main__":
    main()
