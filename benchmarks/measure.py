"""How a benchmark measures: one Spark session, interleaved runs, medians, an A/A control, one JSON result."""

from __future__ import annotations

import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.start_spark import start_spark

HERE = Path(__file__).parent
DATA = HERE / "data"
RESULTS = HERE / "results"


@dataclass(frozen=True)
class Case:
    """One comparison: two ways to do the same work, each returning what it found, to be
    compared; and more ways, by name. `prepare` comes before each and is not timed.
    """

    name: str
    baseline: Callable[[], Any]
    ours: Callable[[], Any]
    others: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    prepare: Callable[[], Any] = lambda: None


@contextmanager
def spark_session(name: str, **conf: str) -> Iterator[SparkSession]:
    """A local session of two cores with the extension loaded; `conf` with `__` for dots."""
    profile = {
        "spark.app.name": name,
        "spark.master": "local[2]",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.ansi.enabled": "true",  # Spark's own default, not a profile's
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.shuffle.partitions": "2",
        **{key.replace("__", "."): value for key, value in conf.items()},
    }
    session = start_spark(
        AdaptiveSparkCredentials(schema="benchmarks", server_side_parameters=profile)
    ).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Wall-clock seconds of `work`, and what it returned."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def compare(
    cases: Sequence[Case], rounds: int, warm_ups: int = 0, warm: bool = False
) -> list[dict[str, Any]]:
    """Medians over `rounds` of baseline, ours, baseline again and the others, run in turn after one warm-up;
    `ratio` = baseline_s / ours_s.

    They run in another order in each round, at random, lest the same one always find the garbage of the same one.

    `warm`: whether all ways have run before, so that there is no warm-up. `warm_ups`: how often ours runs besides
    before all that, where its baseline has run many times before, and HotSpot has long compiled it.

    Raises:
        AssertionError: when two ways do not find the same.
    """
    for case in cases:
        for _ in range(warm_ups):
            case.ours()
    samples: dict[str, list[dict[str, float]]] = {case.name: [] for case in cases}
    for round_number in range(1 if warm else 0, rounds + 1):
        for case in cases:
            ways = {"baseline": case.baseline, "ours": case.ours, "again": case.baseline, **case.others}
            runs = {}
            for way in random.sample([*ways], len(ways)):
                case.prepare()
                runs[way] = timed(ways[way])
            expected = runs["baseline"][1]
            for way, (_, found) in runs.items():
                assert found == expected, f"{case.name}, {way}: {found} != {expected}"
            if round_number > 0:
                samples[case.name].append({way: runs[way][0] for way in ways})
    return [_summary(name, runs) for name, runs in samples.items()]


def _summary(name: str, runs: list[dict[str, float]]) -> dict[str, Any]:
    medians = {way: statistics.median(run[way] for run in runs) for way in runs[0]}
    baseline, ours, again = (medians.pop(way) for way in ("baseline", "ours", "again"))
    return {
        "case": name,
        "baseline_s": round(baseline, 4),
        "ours_s": round(ours, 4),
        "ratio": round(baseline / ours, 3),
        "aa_ratio": round(baseline / again, 3),
        **{f"{way}_s": round(seconds, 4) for way, seconds in medians.items()},
    }


def earlier(name: str) -> dict[str, Any]:
    """With RESUME=1 what `results/<name>.json` holds, so that a long run that was
    stopped goes on; otherwise nothing.
    """
    path = RESULTS / f"{name}.json"
    resumes = os.environ.get("RESUME") == "1" and path.exists()
    return dict(json.loads(path.read_text(encoding="utf-8"))) if resumes else {}


def apart(program: str, *arguments: str, **environment: str) -> Any:
    """The JSON that a program leaves in the file that it is given as its last argument, in a process of its own: one
    Spark fits into a process. `environment` is beside this process's own.

    Raises CalledProcessError where the program fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, program, *arguments, str(result)]
        subprocess.run(command, env={**os.environ, **environment}, check=True)
        return json.loads(result.read_text(encoding="utf-8"))


def gains(cases: Mapping[str, Sequence[dict[str, Any]]], reference: str) -> dict[str, Any]:
    """By group, as `cases` are: the geometric mean of the ratios, the share of the time that is saved, and that share
    as a part of what the group `reference` saves.
    """
    saved = {
        group: 1 - sum(case["ours_s"] for case in some) / sum(case["baseline_s"] for case in some)
        for group, some in cases.items()
    }
    return {
        group: {
            "geometric_mean": round(statistics.geometric_mean([case["ratio"] for case in some]), 3),
            "saved": round(saved[group], 3),
            f"of_what_{reference}_saves": round(saved[group] / saved[reference], 3),
        }
        for group, some in cases.items()
    }


def save(
    name: str,
    rows: int,
    cases: list[dict[str, Any]],
    summary: dict[str, Any],
    more: bool = False,
    spark: str | None = None,
) -> Path:
    """Writes `results/<name>.json` and, unless `more` cases follow, prints it as a table; the summary gets the range of
    the A/A control, which is its noise. `spark` is the release where no session runs.
    """
    session = SparkSession.getActiveSession()
    controls = [case["aa_ratio"] for case in cases]
    summary = {**summary, "aa_range": [min(controls), max(controls)]}
    result = {
        "name": name,
        "rows": rows,
        "versions": {
            "dbt-adaptive-spark": version,
            "spark": spark or (session.version if session else pyspark.__version__),
            "python": platform.python_version(),
        },
        "machine": {"cores": os.cpu_count(), "memory_gib": _memory_gib(), "system": platform.system()},
        **({"complete": False} if more else {}),
        "cases": cases,
        "summary": summary,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    if not more:
        _print_table(cases)
        print(json.dumps(summary, indent=2))
    return path


def _memory_gib() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _print_table(cases: list[dict[str, Any]]) -> None:
    print(f"{'case':<40} {'baseline s':>11} {'ours s':>9} {'ratio':>7} {'A/A':>7}")
    for case in cases:
        print(
            f"{case['case']:<40} {case['baseline_s']:>11.3f} {case['ours_s']:>9.3f}"
            f" {case['ratio']:>7.3f} {case['aa_ratio']:>7.3f}"
        )
