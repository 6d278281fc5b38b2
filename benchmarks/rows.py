"""The four conjuncts of `permutations` over rows that do not come as column batches: of
CSV, of a join, of an aggregate.

Six of the 24 written orders of each: the best, the worst and four evenly between, as stock Spark runs them; each
against the best. For `csv` the reader's own filter is off, or little would be left to order. For `join` a broadcast
outer join replaces a few values, so that the conjuncts stay above it. For `aggregate` the columns are maxima of groups
of one row or two, and the string is made from one in its conjunct.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from measure import DATA, Case, compare, save, spark_session
from queries import Ask, Order, adaptive, by_speed, conjunction, passing, size, static, stored

ROWS, ROUNDS = size(8_000_000)
# Reading CSV and grouping are slow: these sources have a quarter of the rows.
FEWER = max(ROWS // 4, 1)

CONJUNCTS = {
    "date": "{d} >= DATE '2019-10-15'",
    "low": "{i} > 0",
    "high": "{i} < 1000",
    "text": "{s} LIKE '%1%2%'",
}
FORMS = {
    "csv": {"d": "d", "i": "i", "s": "s"},
    "join": {column: f"coalesce(new_{column}, {column})" for column in "dis"},
    "aggregate": {"d": "d", "i": "i", "s": "cast(n as string)"},
}


def records(spark: SparkSession, rows: int) -> DataFrame:
    """The columns of `permutations`, a key to join on, a group and the number n in the string."""
    return stored(
        spark,
        f"rows-{rows}",
        lambda: (
            spark.range(0, rows, 1, 4)
            .selectExpr("id", "cast(abs(cast(randn(3) * 1000000 as bigint)) as bigint) AS n")
            .selectExpr(
                "id",
                "date_add(DATE '2020-01-01', cast(randn(1) * 365 as int)) AS d",
                "cast(randn(2) * 1000 as int) AS i",
                "concat('item-', cast(n as string)) AS s",
                "n",
                "cast(id % 1000 as int) AS k",
                "cast(if(id % 10 = 0, id + 1, id) as bigint) AS g",
            )
        ),
    )


def csv(spark: SparkSession) -> DataFrame:
    """The columns `id`, `d`, `i` and `s` of `FEWER` records, as text in CSV files."""
    path: Path = DATA / f"rows-csv-{FEWER}"
    columns = records(spark, FEWER).select("id", "d", "i", "s")
    if not (path / "_SUCCESS").exists():
        columns.write.mode("overwrite").csv(str(path))
    return spark.read.schema(columns.schema).csv(str(path))


def join(spark: SparkSession) -> DataFrame:
    """One row in a hundred gets values from the broadcast side."""
    corrections = (
        spark.range(0, 10)
        .selectExpr(
            "cast(id * 100 as int) AS k",
            "DATE '2019-06-01' AS new_d",
            "cast(id as int) AS new_i",
            "'item-12' AS new_s",
        )
        .localCheckpoint()
    )
    return records(spark, ROWS).join(F.broadcast(corrections), "k", "left")


def aggregate(spark: SparkSession) -> DataFrame:
    """Maxima of groups; a tenth of them have two rows."""
    maxima = [F.max(column).alias(column) for column in ("d", "i", "n")]
    return records(spark, FEWER).groupBy(F.col("g").alias("id")).agg(*maxima)


SOURCES = {"csv": csv, "join": join, "aggregate": aggregate}


def cases(spark: SparkSession, source: str) -> list[Case]:
    """The best static order against adaptive filters in each of six."""
    table = SOURCES[source](spark)
    conjuncts = {name: form.format(**FORMS[source]) for name, form in CONJUNCTS.items()}

    def asking(order: Order) -> Ask:
        return lambda: passing(table, conjunction(conjuncts, order), "id")

    orders = list(by_speed(spark, {order: asking(order) for order in permutations(conjuncts)}, ROUNDS))
    last = len(orders) - 1
    chosen = [orders[round(last * place / 5)] for place in range(6)]
    return [
        Case(f"{source} {' '.join(order)}", static(spark, asking(orders[0])), adaptive(spark, asking(order)))
        for order in chosen
    ] + [Case(f"{source} worst static", static(spark, asking(orders[0])), static(spark, asking(orders[-1])))]


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bar: ours over the best static order, at most 1.05; for each source the mean and the worst of
    the six, and what is at stake.
    """
    found: dict[str, Any] = {}
    for source in SOURCES:
        mine = [c for c in results if c["case"].startswith(source)]
        shares = [1 / c["ratio"] for c in mine if not c["case"].endswith("static")]
        found[source] = {
            "ours_over_best_static_mean": round(sum(shares) / len(shares), 3),
            "ours_over_best_static_worst": round(max(shares), 3),
            "worst_static_over_best_static": round(1 / mine[-1]["ratio"], 3),
        }
    found["ours_over_best_static_worst"] = max(
        found[source]["ours_over_best_static_worst"] for source in SOURCES
    )
    return found


def main() -> None:
    with spark_session("rows", spark__sql__csv__filterPushdown__enabled="false") as spark:
        results = compare([case for source in SOURCES for case in cases(spark, source)], ROUNDS, warm_ups=4)
        save("rows", ROWS, results, summary(results))


if __name__ == "__main__":
    main()
