"""`dbt seed` of a CSV of ten columns with nulls, double quotes, commas, dates and decimals, by dbt-spark and
by this adapter: whole commands.

dbt-spark gets 10,000 rows: the time that it takes grows faster than the rows, and 100,000 were not done in 27 minutes.
This adapter is timed with 100,000 besides. There are no apostrophes, since dbt-spark's session method fails on them;
and what is null of a text, which it writes as the word None, counts as that.
"""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

from dbt_runs import BASELINE, OURS, SCHEMA, dbt, project
from measure import save, timed
from queries import size

ROWS, _ = size(10_000)
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


def seeded(folder: Path, adapter: str) -> float:
    """Seconds that `dbt seed` took."""
    return timed(lambda: dbt(folder, adapter, "seed", "--full-refresh"))[0]


def fingerprint(folder: Path) -> str:
    """The fingerprint of the rows of the table that a seed made."""
    printed = dbt(folder, OURS, "run-operation", "fingerprint")
    return next(line.split("fingerprint: ")[1] for line in printed.splitlines() if "fingerprint: " in line)


def main() -> None:
    columns = [f'coalesce({name}, "None")' if name == "note" else name for name in NAMES]
    query = f"select count(*), bit_xor(xxhash64({', '.join(columns)})), count(amount) from {SCHEMA}.things"
    macro = (
        "{% macro fingerprint() %}{% set row = run_query('" + query + "').rows[0] %}"
        "{% do log('fingerprint: ' ~ row.values() | map('string') | join(' '), info=true) %}{% endmacro %}"
    )
    folder = project("seed", {"seeds/things.csv": text(ROWS), "macros/fingerprint.sql": macro})
    seconds, found = {}, set()
    for way, adapter in (("baseline", BASELINE), ("ours", OURS), ("again", BASELINE)):
        seconds[way] = seeded(folder, adapter)
        found.add(fingerprint(folder))
    assert len(found) == 1, found
    case = {
        "case": f"{ROWS} rows of 10 columns",
        "baseline_s": round(seconds["baseline"], 1),
        "ours_s": round(seconds["ours"], 1),
        "ratio": round(seconds["baseline"] / seconds["ours"], 3),
        "aa_ratio": round(seconds["baseline"] / seconds["again"], 3),
    }
    (folder / "seeds" / "things.csv").write_text(text(MANY))
    many = round(seeded(folder, OURS), 1)
    save("seed", ROWS, [case], {"times_as_fast": case["ratio"], f"ours_s, {MANY} rows": many})


if __name__ == "__main__":
    main()
