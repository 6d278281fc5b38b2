"""Selectivities that swap several times within one scan, against the best order that never changes.

Four conjuncts of equal cost. The data come in phases: in each, one conjunct passes 2 % of the rows and the others 98 %,
and each new phase is another conjunct's turn. Two files, a task each: `in step` they go through the phases together,
`apart` one is two phases ahead, so that the tasks, which run at the same time, want different orders. Where recovery
happens is read off the clock: each row that passes carries its position and the time, and a phase has recovered where
its rows take at most 1.3 times as long as the best phase's second half.
"""

from __future__ import annotations

import os
from itertools import permutations
from math import inf
from statistics import median
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from measure import Case, compare, save, spark_session
from queries import (
    KEYS,
    Ask,
    Order,
    adaptive,
    by_speed,
    configured,
    conjunction,
    forget,
    passing,
    size,
    static,
    stored,
)
from tagged import conjuncts, tags

ROWS, ROUNDS = size(12_000_000)
PHASES = int(os.environ.get("PHASES", "4"))
LETTERS = "abcd"
CONJUNCTS = conjuncts(LETTERS)

FILES = 2
FILE_ROWS = ROWS // FILES
# The steps in which recovery is looked for, and how much slower than the best a recovered one may be.
STEPS = 40
TOLERANCE = 1.3


def phased(spark: SparkSession, ahead: int) -> DataFrame:
    """A file is a task; the second is `ahead` phases ahead of the first."""
    phase = f"(id % {FILE_ROWS} * {PHASES} div {FILE_ROWS} + id div {FILE_ROWS} * {ahead}) % {len(LETTERS)}"
    flags = {x: f"rand({i + 1}) < if({phase} = {i}, 0.02, 0.98)" for i, x in enumerate(LETTERS)}
    return stored(
        spark,
        f"drift-{ROWS}-{PHASES}-{ahead}",
        lambda: spark.range(0, FILES * FILE_ROWS, 1, FILES).selectExpr("id", f"{tags(flags)} AS tags"),
    )


def cases(spark: SparkSession, name: str, table: DataFrame) -> list[Case]:
    """The best static order, which is searched for, against adaptive filters that start
    from it, and from the worst one.
    """

    def asking(order: Order) -> Ask:
        return lambda: passing(table, conjunction(CONJUNCTS, order), "id", "tags")

    found = list(by_speed(spark, {order: asking(order) for order in permutations(LETTERS)}, ROUNDS))
    best, worst = asking(found[0]), asking(found[-1])
    return [
        Case(f"{name}, best order written", static(spark, best), adaptive(spark, best)),
        Case(f"{name}, worst order written", static(spark, best), adaptive(spark, worst)),
    ]


def step_times(spark: SparkSession, table: DataFrame) -> dict[tuple[int, int], float]:
    """Seconds that each step of each task took, by task and step; a step is a PHASES * STEPS-th of a file."""
    forget(spark)
    with configured(spark, {f"{KEYS}enabled": "true"}):
        rows = (
            table.where(conjunction(CONJUNCTS, LETTERS))
            .selectExpr("id", "cast(java_method('java.lang.System', 'nanoTime') as bigint) AS nanos")
            .groupBy(
                expr(f"id div {FILE_ROWS}").alias("task"),
                expr(f"id % {FILE_ROWS} * {PHASES * STEPS} div {FILE_ROWS}").alias("step"),
            )
            .agg(expr("max(nanos) / 1e9").alias("end"))
            .collect()
        )
    ends = {(row["task"], row["step"]): float(row["end"]) for row in rows}
    return {(t, s): end - ends[t, s - 1] for (t, s), end in ends.items() if (t, s - 1) in ends}


def recoveries(times: dict[tuple[int, int], float]) -> list[int | None]:
    """For each task and phase but the first, rows after the swap until three steps in a row are
    fast; None where no three are.
    """

    def slowest(task: int, step: int) -> float:
        return max(times.get((task, s), inf) for s in range(step, step + 3))

    def steady(task: int, phase: int) -> float:
        return median(times.get((task, phase * STEPS + s), inf) for s in range(STEPS // 2, STEPS))

    fast = TOLERANCE * min(steady(task, phase) for task in range(FILES) for phase in range(PHASES))
    found: list[int | None] = []
    for task in range(FILES):
        for swap in range(STEPS, PHASES * STEPS, STEPS):
            steps = (s - swap for s in range(swap, swap + STEPS - 2) if slowest(task, s) <= fast)
            recovered = next(steps, None)
            found.append(None if recovered is None else recovered * (FILE_ROWS // PHASES // STEPS))
    return found


def summary(results: list[dict[str, Any]], recovered: dict[str, list[int | None]]) -> dict[str, Any]:
    """The bar: how much faster than the best static order, at least 1.3; and the rows of a
    task from a swap to the recovery.
    """
    rows = {name: sorted(r for r in found if r is not None) for name, found in recovered.items()}
    return {
        "best_static_over_ours": {case["case"]: case["ratio"] for case in results},
        "least_best_static_over_ours": min(case["ratio"] for case in results),
        "rows_of_a_phase": FILE_ROWS // PHASES,
        "resolution_rows": FILE_ROWS // PHASES // STEPS,
        "swaps": {name: len(found) for name, found in recovered.items()},
        "swaps_recovered": {name: len(found) for name, found in rows.items()},
        "median_rows_to_recovery": {name: median(found) if found else None for name, found in rows.items()},
        "most_rows_to_recovery": {name: max(found, default=None) for name, found in rows.items()},
    }


def main() -> None:
    # A file is read by one task.
    with spark_session("drift", spark__sql__files__maxPartitionBytes="8g") as spark:
        tables = {"in step": phased(spark, 0), "apart": phased(spark, 2)}
        results = compare([c for name, table in tables.items() for c in cases(spark, name, table)], ROUNDS)
        recovered = {name: recoveries(step_times(spark, table)) for name, table in tables.items()}
        save("drift", ROWS, results, summary(results, recovered))


if __name__ == "__main__":
    main()
