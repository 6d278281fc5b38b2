"""A project of 100 tiny models, run by dbt-spark's session method and by this adapter with 1
and 4 threads: whole commands.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dbt_runs import BASELINE, OURS, dbt, project
from measure import Case, compare, save
from queries import size

MODELS, ROUNDS = size(100, rounds=2)


def run(folder: Path, adapter: str, threads: int) -> list[str]:
    """The nodes that were built."""
    dbt(folder, adapter, "run", "--threads", str(threads))
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    return sorted(each["unique_id"] for each in results if each["status"] == "success")


def summary(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The bars: not slower with one thread, at least 1.5 times as fast with four."""
    return {f"times_as_fast, {case['case']}": case["ratio"] for case in results}


def main() -> None:
    models = {
        f"models/m{i}.sql": (
            f"select id, id % 7 as k from range(100) where id > {i}"
            if i % 10 == 0
            else f"select k, count(*) as n from {{{{ ref('m{i - i % 10}') }}}} where k <> {i % 7} group by k"
        )
        for i in range(MODELS)
    }
    folder = project("overhead", models, models={"+materialized": "table"})
    cases = [
        Case(
            f"{threads} thread{'' if threads == 1 else 's'}",
            lambda threads=threads: run(folder, BASELINE, threads),  # type: ignore[misc]  # a default binds it
            lambda threads=threads: run(folder, OURS, threads),  # type: ignore[misc]
        )
        for threads in (1, 4)
    ]
    results = compare(cases, ROUNDS)
    save("overhead_dbt", MODELS, results, summary(results))


if __name__ == "__main__":
    main()
