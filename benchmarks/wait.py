"""Joins whose build side is slow while the scan of the other side is fast: what a dynamic filter saves must be
more than the wait for its keys.

One task computes the build side, hashing each row many times; `most` keeps 96 % of its rows, and so of the other
table's, so that a filter saves nothing, `few` one in a thousand. `large` is a build side of more bytes than the other,
of which a tenth is left; `by the key` leaves a tenth of both sides by a condition on the key, so that neither has keys
that the other lacks because of it. `second` is the same query again, with what the filter did in the first one known.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from measure import Case, compare, save, spark_session
from qubole import STOCK, asking
from queries import size, stored

ROWS, ROUNDS = size(5_000_000)
BUILD = max(ROWS // 100, 1)
HASHES = 40
# A large build side is not slow, so that noise needs more rounds.
ROUNDS_IF_LARGE = 6 * ROUNDS
SORT_MERGE = {"spark.sql.autoBroadcastJoinThreshold": "-1"}

QUERY = (
    "SELECT count(*), bit_xor(t1.id), max(t1.name) FROM t1 JOIN {build} t2 ON t1.{key} = t2.id WHERE {where}"
)


def hashed(times: int) -> str:
    """An expression that takes `times` hashes of the id."""
    expression = "cast(t2.id AS string)"
    for _ in range(times):
        expression = f"sha1({expression})"
    return expression


QUERIES = {
    "slow, keeps most": ("small", "k", f"{hashed(HASHES)} > '0a'"),
    "slow, keeps few": ("small", "k", f"{hashed(HASHES)} < '004'"),
    "large": ("large", "id", "t2.text < '1a'"),
    "large, by the key": ("large", "id", "t2.id % 10 = 3"),
}


def t1(spark: SparkSession) -> DataFrame:
    """Ids in order, strings, and keys in no order that all have a partner in `small`."""
    rows = spark.range(0, ROWS, 1, 8)
    return stored(
        spark,
        f"wait-keyed-{ROWS}",
        lambda: rows.selectExpr("id", f"id * 7919 % {BUILD} AS k", "sha1(cast(id AS string)) AS name"),
    )


def small(spark: SparkSession) -> DataFrame:
    """A key a row, a hundredth as many as t1 has rows, in one file."""
    return stored(
        spark,
        f"wait-keys-{ROWS}",
        lambda: spark.range(0, BUILD, 1, 1),
    )


def large(spark: SparkSession) -> DataFrame:
    """Half of the ids in no order, with strings twice as long."""
    rows = spark.range(0, ROWS // 2, 1, 8).selectExpr(
        f"id * 7919 % {ROWS} AS id", "sha2(cast(id AS string), 512) AS text"
    )
    return stored(spark, f"wait-large-{ROWS}", lambda: rows)


def cases(spark: SparkSession) -> list[Case]:
    """Each build side, with and without dynamic filters."""
    for table in (t1, small, large):
        table(spark).createOrReplaceTempView(table.__name__)
    ours = {**SORT_MERGE, **STOCK, "spark.sql.dynamicFilter.enabled": "true"}
    found = []
    for name, (build, key, where) in QUERIES.items():
        query = QUERY.format(build=build, key=key, where=where)
        found.append(
            Case(
                name,
                asking(spark, {**SORT_MERGE, **STOCK}, query, remember=True),  # what the second one knows
                asking(spark, ours, query),
                {"second": asking(spark, ours, query, remember=True)},
            )
        )
    return found


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bar: at most 1.03 times as long as stock Spark."""
    return {
        "ours_over_stock": {case["case"]: round(case["ours_s"] / case["baseline_s"], 3) for case in results},
        "second_over_stock": {
            case["case"]: round(case["second_s"] / case["baseline_s"], 3) for case in results
        },
    }


def main() -> None:
    with spark_session("wait") as spark:
        results = [
            result
            for case in cases(spark)
            for result in compare([case], ROUNDS_IF_LARGE if case.name.startswith("large") else ROUNDS)
        ]
        save("wait", ROWS, results, summary(results))


if __name__ == "__main__":
    main()
