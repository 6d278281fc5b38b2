"""Runs named commands one after the other, times each, and says at the end how they went."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from build_support.builds import ROOT


@dataclass(frozen=True)
class Stage:
    """A command, run at the top of the checkout; `required` means that what follows is no use without it."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = field(default=None)
    required: bool = False


def run(stages: Sequence[Stage]) -> int:
    """0 if all stages succeeded, else 1; a failed one does not keep the others from running unless it is required."""
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
        failed = failed or code != 0
        if code != 0 and stage.required:
            break
    print("\n" + "\n".join(lines), flush=True)
    return 1 if failed else 0


def module(name: str, *arguments: str) -> list[str]:
    """The command that runs a Python module in this environment."""
    return [sys.executable, "-m", name, *arguments]
