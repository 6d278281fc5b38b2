"""`make test-installs`: builds the wheel, installs it by plain pip into an empty environment for each combination of
Python, dbt-core, extras and Spark, tries it there, and writes down how that ended; ONLY='python-3.12 thrift' for some.

A Python that is not on this machine is said to be missing, and its earlier result stays.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from build_support import install_table
from build_support.builds import ROOT, builds
from build_support.environments import empty, find_python, python_of
from build_support.install_cells import Cell, cells, dbt_cores
from build_support.install_trial import Trial, has_parser, tried

FOLDER = ROOT / "build" / "installs"
_MEGABYTE = 1_000_000


def build_wheel(folder: Path) -> Path:
    """The wheel, built of the unpacked source distribution, with the jars of all proven lines."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*.whl"))


def measure(wheel: Path, python: str, folder: Path) -> dict[str, float]:
    """The lines whose jars the wheel has, its megabytes, and what it adds to an environment that has dbt-core."""
    command = [python_of(empty(folder, python)), "-m", "pip", "install", "--quiet"]
    # pip counts what lies in the working folder as installed
    subprocess.run([*command, f"dbt-core<{dbt_cores()[-1]}"], check=True, cwd=folder)
    before, started = _bytes(folder), time.monotonic()
    subprocess.run([*command, str(wheel)], check=True, cwd=folder)
    return {
        "lines": len(builds()),
        "wheel_mb": round(wheel.stat().st_size / _MEGABYTE, 1),
        "adds_mb": round((_bytes(folder) - before) / _MEGABYTE, 1),
        "seconds": round(time.monotonic() - started),
    }


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def select(wanted: Sequence[str], all_cells: Sequence[Cell]) -> list[Cell]:
    """The cells that are named, or all if none is. Exits if there is no cell of a name."""
    names = [cell.name for cell in all_cells]
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        sys.exit(f"No such combination: {', '.join(unknown)}. There are: {', '.join(names)}.")
    return [cell for cell in all_cells if not wanted or cell.name in wanted]


def attempt(cell: Cell, wheel: Path, python: str, parser: bool) -> dict[str, Any]:
    """How a cell ended, as the table reads it. Its environment is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=f"{cell.name}-", dir=FOLDER) as folder:
        trial = Trial(cell, str(wheel), Path(folder), parser)
        trial.begin(python)
        passed, failed = tried(trial, lambda line: print(line, flush=True))
        return {
            "on": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
            "versions": dict(trial.versions()),
            "without_parser": trial.lacks_parser,
            "passed": passed,
            "failed": failed,
        }


def merged(earlier: Mapping[str, Any], now: Mapping[str, Any], all_cells: Sequence[Cell]) -> dict[str, Any]:
    """The results of earlier runs and of this one, of the cells that there still are."""
    known = {**earlier, **now}
    return {cell.name: known[cell.name] for cell in all_cells if cell.name in known}


def main(wanted: list[str]) -> int:
    """1 if a step of a combination fails."""
    all_cells = list(cells(install_table.BASE))
    chosen = select(wanted, all_cells)
    wheel = build_wheel(FOLDER / "dist")
    parser = has_parser(sys.executable, FOLDER / "parser")
    results = install_table.read()
    results["size"] = measure(wheel, sys.executable, FOLDER / "measured")
    failed = []
    for cell in chosen:
        python = find_python(cell.python)
        if python is None:
            print(f"{cell.name}: there is no Python {cell.python} on this machine", flush=True)
            continue
        print(f"{cell.name}: {python}", flush=True)
        ended = attempt(cell, wheel, python, parser)
        failed += [f"{cell.name}: {ended['failed']}"] if ended["failed"] else []
        # another run may have written meanwhile
        results["cells"] = merged(install_table.read()["cells"], {cell.name: ended}, all_cells)
        install_table.RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
        install_table.write()
    print("\n".join(["", *install_table.rows(all_cells, results), "", *failed]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
