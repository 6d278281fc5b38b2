"""Runs named commands, several at a time where asked, times each, and says at the end how they went."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

from build_support.builds import ROOT

_printing = Lock()


@dataclass(frozen=True)
class Stage:
    """A command, run at the top of the checkout, after another that prepares it.

    `failures` names what failed in it, to be read at the very end.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    failures: Callable[[], list[str]] | None = None
    before: Sequence[str] | None = None


@dataclass(frozen=True)
class Ended:
    """How a stage went: its line, `seconds` of wall time, and what failed."""

    line: str
    failed: bool
    failures: Sequence[str] = ()


def run(stages: Sequence[Stage], lanes: int = 1) -> int:
    """0 if all stages succeeded, else 1; a failed one does not keep the others from running.

    With several `lanes` as many stages run at a time, begun in the given order; each one's output follows its end.
    """
    started = time.monotonic()
    if lanes == 1:
        ended = [_run(stage, shown=True) for stage in stages]
    else:
        with ThreadPoolExecutor(lanes) as pool:
            ended = list(pool.map(lambda stage: _run(stage, shown=False), stages))
    print()
    for each in ended:
        print("\n".join([each.line, *(f"  {failure}" for failure in each.failures)]))
    print(f"{'together':<24} {time.monotonic() - started:7.1f} s", flush=True)
    return 1 if any(each.failed for each in ended) else 0


def _run(stage: Stage, shown: bool) -> Ended:
    print(f"== {stage.name}", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        code = 0
        for command in [each for each in (stage.before, stage.command) if each is not None]:
            code = subprocess.run(
                command,
                cwd=ROOT,
                env=stage.environment,
                stdin=subprocess.DEVNULL,
                stdout=None if shown else output,
                stderr=None if shown else subprocess.STDOUT,
            ).returncode
            if code != 0:
                break
        line = f"{stage.name:<24} {time.monotonic() - started:7.1f} s  {'ok' if code == 0 else f'FAILED ({code})'}"
        with _printing:
            if not shown:
                output.seek(0)
                print(f"== {stage.name}, its output\n{output.read().decode(errors='replace')}")
            print(line, flush=True)
    return Ended(line, code != 0, stage.failures() if code != 0 and stage.failures else ())


def select(stages: Sequence[Stage], names: Sequence[str]) -> list[Stage]:
    """The stages that are named, or all if none is; exits if there is no stage of a name."""
    unknown = set(names) - {stage.name for stage in stages}
    if unknown:
        sys.exit(
            f"No such stage: {', '.join(sorted(unknown))}. There are: {', '.join(s.name for s in stages)}."
        )
    return [stage for stage in stages if not names or stage.name in names]


def module(name: str, *arguments: str) -> list[str]:
    """The command that runs a Python module in this environment."""
    return [sys.executable, "-m", name, *arguments]
