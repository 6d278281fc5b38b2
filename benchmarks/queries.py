"""Queries of the benchmarks, by Spark's own filter or by the adaptive one: a fingerprint of the rows that pass."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from py4j.java_gateway import JavaClass
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from measure import DATA, timed

KEYS = "spark.sql.adaptiveFilter."

T = TypeVar("T")

Ask = Callable[[], DataFrame]
Found = tuple[Any, ...]
Order = tuple[str, ...]


def size(rows: int, rounds: int = 3) -> tuple[int, int]:
    """ROWS and ROUNDS of the environment, or a program's own defaults."""
    return int(os.environ.get("ROWS", rows)), int(os.environ.get("ROUNDS", rounds))


def stored(spark: SparkSession, name: str, make: Callable[[], DataFrame]) -> DataFrame:
    """The Parquet table `data/<name>`, which the first run writes; say in the name what it depends
    on, the number of rows above all.
    """
    path = DATA / name
    if not (path / "_SUCCESS").exists():
        make().write.mode("overwrite").parquet(str(path))
    return spark.read.parquet(str(path))


def passing(table: DataFrame, condition: Column | str, *columns: str) -> DataFrame:
    """The number of rows that pass, and the exclusive or and a sum of hashes of `columns`.

    None depends on the order of rows.
    """
    hashed = F.xxhash64(*columns)
    return table.where(condition).agg(F.count("*"), F.bit_xor(hashed), F.sum(hashed.bitwiseAND(0xFFFFF)))


def selectivity(table: DataFrame, condition: str) -> float:
    """Share of the rows that pass."""
    row = table.agg(F.expr(f"count_if({condition}) / count(*)")).first()
    assert row is not None
    return float(row[0])


def conjunction(conjuncts: Mapping[str, str], order: Iterable[str]) -> str:
    """The conjuncts in this order, as a condition."""
    return " AND ".join(conjuncts[name] for name in order)


def static(spark: SparkSession, ask: Ask) -> Callable[[], Found]:
    """Asks stock Spark: the filter in its written order."""

    return under(spark, {f"{KEYS}enabled": "false"}, lambda: _first(ask()), remember=True)


def adaptive(
    spark: SparkSession, ask: Ask, settings: Mapping[str, str] | None = None, remember: bool = False
) -> Callable[[], Found]:
    """Asks with adaptive filters under `settings` of theirs, by default as if no query had been asked before."""
    conf = {f"{KEYS}{key}": value for key, value in (settings or {}).items()}
    return under(spark, {f"{KEYS}enabled": "true", **conf}, lambda: _first(ask()), remember)


def _first(frame: DataFrame) -> Found:
    row = frame.first()
    assert row is not None
    return tuple(row)


@contextmanager
def configured(spark: SparkSession, conf: Mapping[str, str]) -> Iterator[None]:
    """The session with `conf`, for a while."""
    before = {key: spark.conf.get(key, None) for key in conf}
    for key, value in conf.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, earlier in before.items():
            if earlier is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, earlier)


def under(
    spark: SparkSession, conf: Mapping[str, str], read: Callable[[], T], remember: bool = False
) -> Callable[[], T]:
    """Runs `read` under a configuration, by default as if no query had been asked before."""

    def run() -> T:
        if not remember:
            forget(spark)
        with configured(spark, conf):
            return read()

    return run


def forget(spark: SparkSession) -> None:
    """Clears what filters remember from one query to the next, in builds that remember."""
    assert spark._jvm is not None
    memory = spark._jvm.io.adaptivespark.history.DriverMemory
    if isinstance(memory, JavaClass):  # a package otherwise: py4j's name for what it does not find
        memory.of(spark.sparkContext._jsc.sc()).forget()


def by_speed(spark: SparkSession, asks: Mapping[Order, Ask], rounds: int) -> dict[Order, float]:
    """Seconds of each order under stock Spark, fastest first: one run of each, then medians of
    `rounds` more for the four fastest.

    A later measurement of the winner is the one to report: the smallest of many noisy ones flatters it.
    """
    runs = {order: static(spark, ask) for order, ask in asks.items()}
    for warm_up in list(runs.values())[:2]:
        warm_up()
    seconds = {order: timed(run)[0] for order, run in runs.items()}
    finalists = sorted(seconds, key=seconds.__getitem__)[:4]
    again = [[timed(runs[order])[0] for order in finalists] for _ in range(rounds)]
    seconds |= zip(finalists, map(statistics.median, zip(*again, strict=True)), strict=True)
    rest = [order for order in sorted(seconds, key=seconds.__getitem__) if order not in finalists]
    return {order: seconds[order] for order in [*sorted(finalists, key=seconds.__getitem__), *rest]}
