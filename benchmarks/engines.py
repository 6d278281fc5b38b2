"""The Parquet file of `permutations` and its 24 written orders: stock Spark, ours, DuckDB
and DataFusion, two threads each.

What an engine makes of a bad order is its spread: its slowest order over its fastest. For ours also the share of what
the order costs stock Spark that we win back. ORDERS=6 takes six of the orders, evenly among all. Each engine is as its
package sets it up, threads apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from itertools import permutations
from pathlib import Path
from statistics import median
from typing import Any

import datafusion
import duckdb
from pyspark.sql import DataFrame, SparkSession

from measure import DATA, Case, compare, save, spark_session
from permutations import CONJUNCTS, NAME, ROUNDS, ROWS, table
from queries import Found, adaptive, conjunction, static

THREADS = 2
ORDERS = int(os.environ.get("ORDERS", "24"))

# What every engine can compute: the number of rows that pass, and three sums over them.
FOUND = "count(*), bit_xor(cast(i AS bigint)), sum(cast(i AS bigint)), sum(cast(length(s) AS bigint))"

Engine = Callable[[str], Found]


def duckdb_engine(path: Path) -> Engine:
    """DuckDB reading the files in place."""
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{path}/*.parquet')")

    def run(query: str) -> Found:
        row = connection.execute(query).fetchone()
        assert row is not None
        return integers(row)

    return run


def datafusion_engine(path: Path) -> Engine:
    """DataFusion reading the files in place."""
    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(THREADS))
    context.register_parquet("t", str(path))

    def run(query: str) -> Found:
        (batch,) = (b for b in context.sql(query).collect() if b.num_rows)
        return integers(column[0].as_py() for column in batch.columns)

    return run


def integers(row: Iterable[Any]) -> Found:
    """Engines differ in the types of their sums."""
    return tuple(int(value) for value in row)


def cases(spark: SparkSession) -> list[Case]:
    """One written order each: stock Spark as baseline, ours, and the other engines."""
    table(spark).createOrReplaceTempView("t")
    engines = {"duckdb": duckdb_engine(DATA / NAME), "datafusion": datafusion_engine(DATA / NAME)}
    every = list(permutations(CONJUNCTS))
    step = max(len(every) // ORDERS, 1)
    found = []
    for order in every[::step]:
        query = f"SELECT {FOUND} FROM t WHERE {conjunction(CONJUNCTS, order)}"

        def ask(query: str = query) -> DataFrame:
            return spark.sql(query)

        others = {name: partial(run, query) for name, run in engines.items()}
        found.append(Case(" ".join(order), static(spark, ask), adaptive(spark, ask), others))
    return found


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Best, worst and spread of each engine, and the share of the distance from best to worst
    static order that ours recovers.
    """
    times = {
        "spark": [c["baseline_s"] for c in results],
        "ours": [c["ours_s"] for c in results],
        "duckdb": [c["duckdb_s"] for c in results],
        "datafusion": [c["datafusion_s"] for c in results],
    }
    best, worst = min(times["spark"]), max(times["spark"])
    shares = [(worst - seconds) / (worst - best) for seconds in times["ours"]]
    of_worst = max(results, key=lambda c: float(c["baseline_s"]))
    return {
        "engines": {
            name: {
                "best_s": min(seconds),
                "worst_s": max(seconds),
                "spread": round(max(seconds) / min(seconds), 3),
            }
            for name, seconds in times.items()
        },
        "recovered_in_the_worst_order": round((worst - of_worst["ours_s"]) / (worst - best), 3),
        "recovered_median": round(median(shares), 3),
        "recovered_least": round(min(shares), 3),
        "versions": {"duckdb": duckdb.__version__, "datafusion": datafusion.__version__},
    }


def main() -> None:
    with spark_session("engines") as spark:
        results = compare(cases(spark), ROUNDS)
        save("engines", ROWS, results, summary(results))


if __name__ == "__main__":
    main()
