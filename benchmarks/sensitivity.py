"""Figures 2 to 4 of arXiv 1905.01349: what collectRate, calculateRate and momentum do to the time of a query; one swept, two at their defaults.

The table of `permutations`, with bounds under which about 16 % of the rows pass, as in the paper, written in an order that is far from the
best. EVOLVING=1 takes a table whose integers wander, so that the best order changes a few times within the scan. AUTO=1 adds the
collectRate `auto`, for builds that have it. Writes the curves as PNG next to the JSON.
"""

from __future__ import annotations

import os
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from pyspark.sql import DataFrame, SparkSession

import permutations
from measure import RESULTS, Case, compare, save, spark_session
from queries import adaptive, conjunction, passing, selectivity, size, static, stored

ROWS, ROUNDS = size(20_000_000)
AUTO = os.environ.get("AUTO") == "1"
EVOLVING = os.environ.get("EVOLVING") == "1"
NAME = "sensitivity-evolving" if EVOLVING else "sensitivity"

CONJUNCTS = {
    "high": "i < 2000",
    "text": "s LIKE '%1%2%'",
    "date": "d >= DATE '2018-10-24'",
    "low": "i > -1000",
}
DEFAULTS = {"collectRate": "1000", "calculateRate": "1000000", "momentum": "0.3"}
SWEEPS = {
    "collectRate": ["1", "10", "100", "1000", "10000", "100000", "1000000"],
    "calculateRate": ["1000", "10000", "100000", "1000000", "10000000"],
    "momentum": ["0.0", "0.1", "0.3", "0.5", "0.7", "0.9", "1.0"],
}


def table(spark: SparkSession) -> DataFrame:
    """That of `permutations`; or, if EVOLVING, one whose integer's mean goes through three waves within each of its files."""
    if not EVOLVING:
        return permutations.table(spark)
    file_rows = max(ROWS // permutations.FILES, 1)
    wave = f"3000 * sin(6 * pi() * (id % {file_rows}) / {file_rows})"
    return stored(spark, f"evolving-{ROWS}", lambda: permutations.records(spark, wave))


def cases(spark: SparkSession, rows: DataFrame) -> list[Case]:
    """One for each point of each sweep, named `key=value`, against stock Spark in the same written order."""

    def ask() -> DataFrame:
        return passing(rows, conjunction(CONJUNCTS, CONJUNCTS), "d", "i", "s")

    points = [(key, value) for key, values in SWEEPS.items() for value in values]
    if AUTO:
        points.append(("collectRate", "auto"))
    return [
        Case(
            f"{key}={value}",
            static(spark, ask),
            adaptive(spark, ask, {**DEFAULTS, key: value}),
        )
        for key, value in points
    ]


def curves(results: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Seconds by key and value, without `auto`."""
    found: dict[str, dict[str, float]] = {key: {} for key in SWEEPS}
    for case in results:
        key, value = case["case"].split("=")
        if value != "auto":
            found[key][value] = case["ours_s"]
    return found


def summary(results: list[dict[str, Any]], passed: float) -> dict[str, Any]:
    """The bars: the best point of each curve is not one of its ends; `auto` takes at most 1.03 times as long as the best collectRate."""
    found: dict[str, Any] = {"selectivity": round(passed, 4), "evolving": EVOLVING}
    for key, curve in curves(results).items():
        best, *_, worst = sorted(curve, key=curve.__getitem__)
        ends = (SWEEPS[key][0], SWEEPS[key][-1])
        found[key] = {
            "best": best,
            "worst": worst,
            "best_s": curve[best],
            "first_over_best": round(curve[ends[0]] / curve[best], 3),
            "last_over_best": round(curve[ends[1]] / curve[best], 3),
            "default_over_best": round(curve[DEFAULTS[key]] / curve[best], 3),
            "best_in_the_middle": best not in ends,
        }
    auto = [case["ours_s"] for case in results if case["case"] == "collectRate=auto"]
    found["auto_over_best_collect_rate"] = (
        round(auto[0] / found["collectRate"]["best_s"], 3) if auto else None
    )
    return found


def plot(results: list[dict[str, Any]]) -> None:
    """Three curves side by side, with stock Spark's time in the same written order."""
    mpl.use("Agg")
    figure, axes = plt.subplots(1, len(SWEEPS), figsize=(12, 3.6), sharey=True, layout="constrained")
    for axis, (key, curve) in zip(axes, curves(results).items(), strict=True):
        static_s = sorted(case["baseline_s"] for case in results if case["case"].startswith(key))
        axis.plot([float(value) for value in curve], list(curve.values()), marker="o", label="adaptive")
        axis.axhline(static_s[len(static_s) // 2], color="grey", linestyle="--", label="stock, written order")
        for case in results:
            if case["case"] == f"{key}=auto":
                axis.axhline(case["ours_s"], color="green", linestyle=":", label="auto")
        axis.set_xscale("linear" if key == "momentum" else "log")
        axis.set_xlabel(key)
    axes[0].set_ylabel("seconds")
    axes[0].set_ylim(bottom=0)
    axes[0].legend()
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / f"{NAME}.png", dpi=120)


def main() -> None:
    with spark_session(NAME) as spark:
        rows = table(spark)
        passed = selectivity(rows, conjunction(CONJUNCTS, CONJUNCTS))
        results = compare(cases(spark, rows), ROUNDS)
        plot(results)
        save(NAME, ROWS, results, summary(results, passed))


if __name__ == "__main__":
    main()
