"""Figures 2 to 4 of arXiv 1905.01349: what collectRate, calculateRate and momentum do to the time of a query;
one swept, two at their defaults.

The table of `permutations`, with bounds under which about 16 % of the rows pass, as in the paper, written in an order
that is far from the best. EVOLVING=1 takes a table whose integers wander, so that the best order changes a few times
within the scan. Writes the curves as PNG next to the JSON.
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

ROWS, ROUNDS = size(20_000_000, rounds=15)
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
AUTO = {
    "collectRate=auto": {"collectRate": "auto"},
    "calculateRate=auto": {"calculateRate": "auto"},
    "both=auto": {"collectRate": "auto", "calculateRate": "auto"},
}


def table(spark: SparkSession) -> DataFrame:
    """That of `permutations`; or, if EVOLVING, one whose integer's mean goes through three
    waves within each of its files.
    """
    if not EVOLVING:
        return permutations.table(spark)
    file_rows = max(ROWS // permutations.FILES, 1)
    wave = f"3000 * sin(6 * pi() * (id % {file_rows}) / {file_rows})"
    return stored(spark, f"evolving-{ROWS}", lambda: permutations.records(spark, wave))


def case(spark: SparkSession, rows: DataFrame) -> Case:
    """Every point in turn in one round, so that what slows the machine for a while slows all alike; the
    defaults twice, as their own control.
    """

    def ask() -> DataFrame:
        return passing(rows, conjunction(CONJUNCTS, CONJUNCTS), "d", "i", "s")

    points = {f"{key}={value}": {key: value} for key, values in SWEEPS.items() for value in values} | AUTO
    return Case(
        "written order",
        static(spark, ask),
        adaptive(spark, ask, DEFAULTS),
        {name: adaptive(spark, ask, DEFAULTS | point) for name, point in points.items()},
    )


def curve(found: dict[str, Any], key: str) -> dict[str, float]:
    """Seconds by value of the key."""
    return {value: found[f"{key}={value}_s"] for value in SWEEPS[key]}


def summary(found: dict[str, Any], passed: float) -> dict[str, Any]:
    """The bars: the best point of each curve is not one of its ends; `auto` takes at most 1.03 times as
    long as the best point of all.

    `same_over_default`: the points that are the defaults under another name, over the defaults: the noise.
    """
    said: dict[str, Any] = {"selectivity": round(passed, 4), "evolving": EVOLVING}
    for key in SWEEPS:
        seconds = curve(found, key)
        first, *middle, last = seconds.values()
        said[key] = {
            "best": min(seconds, key=seconds.__getitem__),
            "first_over_best": round(first / min(middle), 3),
            "last_over_best": round(last / min(middle), 3),
            "default_over_best": round(seconds[DEFAULTS[key]] / min(middle), 3),
            "best_in_the_middle": min(middle) < min(first, last),
        }
    best = min(min(curve(found, key).values()) for key in SWEEPS)
    said["over_best_point"] = {name: round(found[f"{name}_s"] / best, 3) for name in AUTO}
    said["same_over_default"] = [
        round(found[f"{key}={value}_s"] / found["ours_s"], 3) for key, value in DEFAULTS.items()
    ]
    return said


def plot(found: dict[str, Any]) -> None:
    """Three curves side by side, with stock Spark's time in the same written order."""
    mpl.use("Agg")
    figure, axes = plt.subplots(1, len(SWEEPS), figsize=(12, 3.6), sharey=True, layout="constrained")
    for axis, key in zip(axes, SWEEPS, strict=True):
        seconds = curve(found, key)
        axis.plot([float(value) for value in seconds], list(seconds.values()), marker="o", label="adaptive")
        axis.axhline(found["baseline_s"], color="grey", linestyle="--", label="stock, written order")
        if f"{key}=auto" in AUTO:
            axis.axhline(found[f"{key}=auto_s"], color="green", linestyle=":", label="auto")
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
        (found,) = compare([case(spark, rows)], ROUNDS)
        plot(found)
        save(NAME, ROWS, [found], summary(found, passed))


if __name__ == "__main__":
    main()
