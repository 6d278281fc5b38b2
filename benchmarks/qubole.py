"""A large table joined with the hundred rows that a filter leaves of another: what dynamic filters were invented for.

`t1` has ids in order, each with a string of 40 characters; `t2` has a hundredth of its ids and a department. One
department has a hundred ids far apart, another a hundred in a row. Besides Spark as it is set up, three ways: `tuned`,
Spark with its bloom filter for every join, and `limit`, Spark with the ids of the department written into the query by
hand, which is as little as can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from measure import Case, compare, save, spark_session
from queries import Found, size, stored, under

ROWS, ROUNDS = size(100_000_000)
# t2 has one id in this many.
STEP = 100
IDS = 100

STOCK = {"spark.sql.adaptiveFilter.enabled": "false", "spark.sql.dynamicFilter.enabled": "false"}
OURS = {"spark.sql.adaptiveFilter.enabled": "true", "spark.sql.dynamicFilter.enabled": "true"}
TUNED = {**STOCK, "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "0"}
BROADCAST = "spark.sql.autoBroadcastJoinThreshold"
STRATEGIES = {"sort-merge": {BROADCAST: "-1"}, "broadcast": {BROADCAST: "10MB"}}

QUERY = "SELECT count(*), bit_xor(t1.id), max(t1.name), sum(length(t1.name)) FROM t1 JOIN t2 ON t1.id = t2.id"


def t1(spark: SparkSession, shuffled: bool) -> DataFrame:
    """Ids and strings; shuffled, the ids are a permutation that looks random."""
    id_ = f"(id * 7919 + 12345) % {ROWS}" if shuffled else "id"
    return stored(
        spark,
        f"{'unclustered' if shuffled else 'qubole'}-t1-{ROWS}",
        lambda: (
            spark.range(0, ROWS, 1, 8)
            .selectExpr(f"{id_} AS id")
            .selectExpr("id", "sha1(cast(id AS string)) AS name")
        ),
    )


def t2(spark: SparkSession) -> DataFrame:
    """Ids, and a department: `scattered` and `contiguous` have IDS ids each, the others the rest."""
    count = ROWS // STEP
    department = (
        f"CASE WHEN id % {count // IDS} = 7 THEN 'scattered'"
        f" WHEN id BETWEEN {count // 2 + 8} AND {count // 2 + 7 + IDS} THEN 'contiguous'"
        " ELSE concat('other-', id % 1000) END"
    )
    return stored(
        spark,
        f"qubole-t2-{ROWS}",
        lambda: spark.range(0, count, 1, 2).selectExpr(f"id * {STEP} AS id", f"{department} AS department"),
    )


def asking(
    spark: SparkSession, conf: Mapping[str, str], text: str, remember: bool = False
) -> Callable[[], Found]:
    """A query under a configuration, by default as if none had been asked before."""
    return under(spark, conf, lambda: tuple(spark.sql(text).collect()[0]), remember)


def questions(departments: Sequence[str]) -> list[tuple[str, str]]:
    """Departments, each with its query."""
    return [(each, f"{QUERY} WHERE t2.department = '{each}'") for each in departments]


def limited(spark: SparkSession, department: str) -> str:
    """The department's query with its ids written in by hand."""
    ((_, query),) = questions([department])
    ids = [row.id for row in spark.sql(f"SELECT id FROM t2 WHERE department = '{department}'").collect()]
    return f"{query} AND t1.id IN ({', '.join(map(str, ids))})"


def cases(spark: SparkSession, strategies: Sequence[str], shuffled: bool) -> list[Case]:
    """Join strategies with each department; where t1 is shuffled, all are scattered."""
    t1(spark, shuffled).createOrReplaceTempView("t1")
    t2(spark).createOrReplaceTempView("t2")
    return [
        Case(
            f"{strategy}, {department}",
            asking(spark, {**conf, **STOCK}, query),
            asking(spark, {**conf, **OURS}, query),
            {
                "tuned": asking(spark, {**conf, **TUNED}, query),
                "limit": asking(spark, {**conf, **STOCK}, limited(spark, department)),
            },
        )
        for strategy, conf in ((each, STRATEGIES[each]) for each in strategies)
        for department, query in questions(("scattered",) if shuffled else ("scattered", "contiguous"))
    ]


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bars: how many times as fast as Spark as it is, and tuned; and ours over the limit, at most 1.25."""
    return {
        "stock_over_ours": {case["case"]: case["ratio"] for case in results},
        "tuned_over_ours": {case["case"]: round(case["tuned_s"] / case["ours_s"], 2) for case in results},
        "ours_over_limit": {case["case"]: round(case["ours_s"] / case["limit_s"], 2) for case in results},
    }


def run(name: str, strategies: Sequence[str], shuffled: bool) -> None:
    """One benchmark, its result in `results/<name>.json`."""
    with spark_session(name) as spark:
        results = compare(cases(spark, strategies, shuffled), ROUNDS)
        save(name, ROWS, results, summary(results))


if __name__ == "__main__":
    run("qubole", list(STRATEGIES), shuffled=False)
