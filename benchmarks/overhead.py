"""Cost of an adaptive filter that can win nothing: 1, 2, 4 and 8 cheap integer conjuncts in the best written order.

All conjuncts of a case cost the same and are independent, and they are written by selectivity, the most selective
first. The children of the filter: `parquet`, column batches; `range`, rows that cost nothing to make, five times as
many, so that the filter is all there is; `join`, the rows of a broadcast outer join. The bar is 2 % beyond the noise,
which is what the A/A control beside each case differs from 1.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from measure import Case, compare, save, spark_session
from queries import adaptive, passing, size, static, stored

ROWS, ROUNDS = size(20_000_000, rounds=7)

# How many of 1024 values pass each conjunct; all eight together pass 9 % of the rows.
LIMITS = [512, 614, 717, 768, 819, 870, 922, 973]
COUNTS = [1, 2, 4, 8]


def integers(spark: SparkSession) -> DataFrame:
    """Columns c0 to c7, uniform in [0, 1024), and the key k of 1,000 to join on."""
    columns = [f"cast(rand({i + 1}) * 1024 as int) AS c{i}" for i in range(len(LIMITS))]
    return stored(
        spark,
        f"overhead-{ROWS}",
        lambda: spark.range(0, ROWS, 1, 8).selectExpr("cast(id % 1000 as int) AS k", *columns),
    )


def limits(spark: SparkSession) -> DataFrame:
    """For each key k, the limits l0 to l7 as columns."""
    columns = [f"cast({limit} + hash(id) % 2 as int) AS l{i}" for i, limit in enumerate(LIMITS)]
    return stored(
        spark,
        "overhead-limits",
        lambda: spark.range(0, 1000, 1, 1).selectExpr("cast(id as int) AS k", *columns),
    )


def sources(spark: SparkSession) -> dict[str, tuple[DataFrame, str, str]]:
    """By child of the filter: the table, the form of conjunct i with the limit l, and the column to fingerprint."""
    table = integers(spark)
    # Conjuncts on columns of both sides of an outer join stay above it.
    joined = table.join(F.broadcast(limits(spark)), "k", "left")
    return {
        "parquet": (table, "c{i} < {l}", "c0"),
        "range": (spark.range(0, 5 * ROWS, 1, 8).toDF("id"), "(hash(id, {i}) & 1023) < {l}", "id"),
        "join": (joined, "c{i} < coalesce(l{i}, 0)", "c0"),
    }


def cases(spark: SparkSession) -> list[Case]:
    """Each child with each number of conjuncts."""
    found = []
    for child, (table, form, column) in sources(spark).items():
        for count in COUNTS:
            condition = " AND ".join(form.format(i=i, l=LIMITS[i]) for i in range(count))

            def ask(table: DataFrame = table, condition: str = condition, column: str = column) -> DataFrame:
                return passing(table, condition, column)

            name = f"{child} {count} conjunct{'s' if count > 1 else ''}"
            found.append(Case(name, static(spark, ask), adaptive(spark, ask)))
    return found


def overhead(case: dict[str, Any]) -> float:
    """Share of its time that stock Spark saves over ours, less what it differs from itself."""
    return float(case["ours_s"] / case["baseline_s"] - 1 - abs(case["aa_ratio"] - 1))


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bar: the largest overhead beyond noise, at most 0.02; for each child, too."""
    largest: dict[str, float] = {}
    for case in results:
        child = case["case"].split()[0]
        largest[child] = max(largest.get(child, -1.0), overhead(case))
    return {
        "largest_overhead_beyond_noise": round(max(largest.values()), 4),
        "by_child": {child: round(value, 4) for child, value in largest.items()},
        "mean_overhead": round(sum(c["ours_s"] / c["baseline_s"] for c in results) / len(results) - 1, 4),
    }


def main() -> None:
    with spark_session("overhead") as spark:
        results = compare(cases(spark), ROUNDS)
        save("overhead", ROWS, results, summary(results))


if __name__ == "__main__":
    main()
