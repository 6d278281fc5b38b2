"""Cost of the policy `conditional` against `rank`, the default: every filter of four other benchmarks, under each.

`permutations`, `overhead`, `nested` and `drift` have filters whose predicates are independent, so that `conditional`
can win nothing in them but may lose; `correlated` is where it wins. A ratio below 1 is what it costs.
"""

from __future__ import annotations

from itertools import permutations as orders
from statistics import geometric_mean
from typing import Any

from pyspark.sql import SparkSession

import drift
import nested
import overhead
import permutations
from measure import Case, compare, save, spark_session
from queries import KEYS, size, under

_, ROUNDS = size(0)


def found(spark: SparkSession) -> dict[str, list[Case]]:
    """The filters by benchmark."""
    rows = permutations.table(spark)
    drifting = {"in step": drift.phased(spark, 0), "apart": drift.phased(spark, 2)}
    return {
        "permutations": [permutations.case(spark, rows, order) for order in orders(permutations.CONJUNCTS)],
        "overhead": overhead.cases(spark),
        "nested": nested.cases(spark)[0],
        "drift": [case for name, table in drifting.items() for case in drift.cases(spark, name, table)],
    }


def policies(spark: SparkSession, benchmark: str, case: Case) -> Case:
    """The adaptive way of a case under `rank`, and under `conditional`."""
    rank, conditional = (
        under(spark, {f"{KEYS}policy": policy}, case.ours) for policy in ("rank", "conditional")
    )
    return Case(f"{benchmark}: {case.name}", rank, conditional)


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bar: no filter slower than under `rank` by more than the noise.

    By benchmark: the mean and the least of rank over conditional.
    """
    ratios: dict[str, list[float]] = {}
    for case in results:
        ratios.setdefault(case["case"].split(":")[0], []).append(case["ratio"])
    return {
        "rank_over_conditional_geometric_mean": {
            name: round(geometric_mean(each), 3) for name, each in ratios.items()
        },
        "rank_over_conditional_least": {name: min(each) for name, each in ratios.items()},
    }


def main() -> None:
    # A file of `drift` is read by one task.
    with spark_session("policies", spark__sql__files__maxPartitionBytes="8g") as spark:
        cases = [policies(spark, name, case) for name, each in found(spark).items() for case in each]
        results = compare(cases, ROUNDS)
        save("policies", permutations.ROWS, results, summary(results))


if __name__ == "__main__":
    main()
