"""Runs named commands, several at a time where asked, times each, and says at the end how they went."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from build_support.builds import ROOT

_printing = Lock()


@dataclass(frozen=True)
class Need:
    """Something that stages find ready, such as the jar; `command` makes it, or sees at once that it is there.

    `is_apart` is true where it can be made beside others; Maven's are made one after another.
    """

    name: str
    command: Sequence[str] = field(compare=False)
    is_apart: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Stage:
    """A command, run at the top of the checkout once all that it needs is there.

    `failures` names what failed in it, to be read at the very end.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    failures: Callable[[], list[str]] | None = None
    needs: Sequence[Need] = ()


@dataclass(frozen=True)
class Ended:
    """How a stage went: its line, `seconds` of wall time, and what failed."""

    line: str
    failed: bool
    failures: Sequence[str] = ()


def run(stages: Sequence[Stage], lanes: int = 1) -> int:
    """0 if all stages succeeded, else 1; a failed one does not keep the others from running.

    First comes what the stages need, each need once. A stage without all of its needs fails and does not run.
    With several `lanes` as many stages run at a time, begun in the given order; each one's output follows its end.
    """
    started = time.monotonic()
    preparations = _prepared(dict.fromkeys(need for stage in stages for need in stage.needs), lanes)
    missing = {need for need, preparation in preparations.items() if preparation.failed}

    def ran(stage: Stage) -> Ended:
        lacks = [need.name for need in stage.needs if need in missing]
        if lacks:
            return Ended(f"{stage.name:<24}     FAILED (not run: no {', '.join(lacks)})", failed=True)
        return _run(stage, shown=lanes == 1)

    if lanes == 1:
        ended = list(map(ran, stages))
    else:
        with ThreadPoolExecutor(lanes) as pool:
            ended = list(pool.map(ran, stages))
    ended = [*preparations.values(), *ended]
    print()
    for each in ended:
        print("\n".join([each.line, *(f"  {failure}" for failure in each.failures)]))
    print(f"{'together':<24} {time.monotonic() - started:7.1f} s", flush=True)
    return 1 if any(each.failed for each in ended) else 0


def _prepared(wanted: Iterable[Need], lanes: int) -> dict[Need, Ended]:
    """How it went to make each of what is wanted; with several lanes, what is apart is made in another one."""
    others, apart = ([need for need in wanted if need.is_apart is each] for each in (False, True))

    def made(needs: Sequence[Need]) -> dict[Need, Ended]:
        return {need: _run(Stage(need.name, need.command), shown=lanes == 1) for need in needs}

    with ThreadPoolExecutor(min(lanes, 2)) as pool:
        first, second = pool.map(made, (others, apart))
    return {**first, **second}


def _run(stage: Stage, shown: bool) -> Ended:
    print(f"== {stage.name}", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        code = subprocess.run(
            stage.command,
            cwd=ROOT,
            env=stage.environment,
            stdin=subprocess.DEVNULL,
            stdout=None if shown else output,
            stderr=None if shown else subprocess.STDOUT,
        ).returncode
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
