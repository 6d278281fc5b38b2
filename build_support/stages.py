"""Runs named commands one after the other, times each, and says at the end how they went."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from build_support.builds import ROOT


@dataclass(frozen=True)
class Stage:
    """A command, run at the top of the checkout. `failures` names what failed in it, to be read at the very end."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    failures: Callable[[], list[str]] | None = None


def run(stages: Sequence[Stage]) -> int:
    """0 if all stages succeeded, else 1; a failed one does not keep the others from running."""
    lines: list[str] = []
    failed = False
    for stage in stages:
        print(f"== {stage.name}", flush=True)
        started = time.monotonic()
        code = subprocess.run(
            stage.command, cwd=ROOT, env=stage.environment, stdin=subprocess.DEVNULL
        ).returncode
        seconds = time.monotonic() - started
        lines.append(f"{stage.name:<24} {seconds:7.1f} s  {'ok' if code == 0 else f'FAILED ({code})'}")
        print(lines[-1], flush=True)
        if code != 0:
            failed = True
            lines += [f"  {failure}" for failure in (stage.failures() if stage.failures else [])]
    print("\n" + "\n".join(lines), flush=True)
    return 1 if failed else 0


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
