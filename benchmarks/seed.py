"""`dbt seed` of one CSV of 100,000 rows and ten columns with nulls, quotes, dates and decimals, by dbt-spark and by this adapter: whole commands."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

from dbt_runs import BASELINE, OURS, SCHEMA, dbt, project
from measure import Case, compare, save
from queries import size

ROWS, ROUNDS = size(100_000, rounds=1)
NAMES = ["id", "name", "note", "day", "at", "price", "amount", "flag", "code", "ratio"]


def text() -> str:
    """The CSV."""
    chance = random.Random(1)
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(NAMES)
    for i in range(ROWS):
        day = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        row = [
            i,
            f'O\'Brien "{i % 97}", Sons',
            "" if i % 3 == 0 else f"a \\ b % {chance.random():.3f}",
            day,
            f"{day} {chance.randint(0, 23):02}:30:15",
            f"{chance.randint(0, 99999) / 100:.2f}",
            "" if i % 7 == 0 else chance.randint(-(10**12), 10**12),
            chance.choice(["true", "false"]),
            f"x{chance.randint(0, 10**6):07}",
            chance.random(),
        ]
        writer.writerow(row)
    return written.getvalue()


def seeded(folder: Path, adapter: str) -> str:
    """A fingerprint of the table that a seed made."""
    dbt(folder, adapter, "seed", "--full-refresh")
    printed = dbt(folder, OURS, "run-operation", "fingerprint")
    return next(line.split("fingerprint: ")[1] for line in printed.splitlines() if "fingerprint: " in line)


def main() -> None:
    query = f"select count(*), bit_xor(xxhash64({', '.join(NAMES)})), count(note), count(amount) from {SCHEMA}.things"
    macro = (
        "{% macro fingerprint() %}{% set row = run_query('" + query + "').rows[0] %}"
        "{% do log('fingerprint: ' ~ row.values() | map('string') | join(' '), info=true) %}{% endmacro %}"
    )
    folder = project("seed", {"seeds/things.csv": text(), "macros/fingerprint.sql": macro})
    case = Case(f"{ROWS} rows of 10 columns", lambda: seeded(folder, BASELINE), lambda: seeded(folder, OURS))
    results = compare([case], ROUNDS, warm=True)
    save("seed", ROWS, results, {"times_as_fast": results[0]["ratio"]})


if __name__ == "__main__":
    main()
