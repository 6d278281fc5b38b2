"""`dbt seed` of a CSV of ten columns with nulls, double quotes, commas, dates and decimals, by dbt-spark and by this adapter: whole commands.

dbt-spark gets 2,000 rows: the time that it takes grows faster than the rows, and 100,000 are not done in half an hour. This adapter is timed with 100,000 besides. There are no
apostrophes, since dbt-spark's session method fails on them; and what is null of a text, which it writes as an empty one, counts as such.
"""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

from dbt_runs import BASELINE, OURS, SCHEMA, dbt, project
from measure import Case, compare, save, timed
from queries import size

ROWS, ROUNDS = size(2_000, rounds=1)
MANY = 100_000
NAMES = ["id", "name", "note", "day", "at", "price", "amount", "flag", "code", "ratio"]


def text(rows: int) -> str:
    """The CSV."""
    chance = random.Random(1)
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(NAMES)
    for i in range(rows):
        day = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        row = [
            i,
            f'Brien "{i % 97}", Sons',
            "" if i % 3 == 0 else f"a; b: {chance.random():.3f}",
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
    columns = [f'coalesce({name}, "")' if name == "note" else name for name in NAMES]
    query = f"select count(*), bit_xor(xxhash64({', '.join(columns)})), count(amount) from {SCHEMA}.things"
    macro = (
        "{% macro fingerprint() %}{% set row = run_query('" + query + "').rows[0] %}"
        "{% do log('fingerprint: ' ~ row.values() | map('string') | join(' '), info=true) %}{% endmacro %}"
    )
    folder = project("seed", {"seeds/things.csv": text(ROWS), "macros/fingerprint.sql": macro})
    case = Case(f"{ROWS} rows of 10 columns", lambda: seeded(folder, BASELINE), lambda: seeded(folder, OURS))
    results = compare([case], ROUNDS, warm=True)
    (folder / "seeds" / "things.csv").write_text(text(MANY))
    seconds, _ = timed(lambda: seeded(folder, OURS))
    save(
        "seed",
        ROWS,
        results,
        {"times_as_fast": results[0]["ratio"], f"ours_s, {MANY} rows": round(seconds, 1)},
    )


if __name__ == "__main__":
    main()
