"""Virtual environments beside `.venv`, each kept until what it is asked to hold changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def python_of(folder: Path) -> str:
    """The Python of an environment."""
    return str(folder / "bin" / "python")


def pip(folder: Path) -> list[str]:
    """The command that installs into an environment, which has no pip of its own."""
    return [sys.executable, "-m", "pip", "--python", python_of(folder), "install", "--quiet"]


def ensure(folder: Path, wanted: Sequence[str], *commands: Sequence[str]) -> bool:
    """Makes an environment with `commands`, unless it is there and was made for this Python and for `wanted`.

    True if it was made. Raises CalledProcessError where a command fails.
    """
    stamp = folder / "installed.txt"
    now = "\n".join([sys.version, *wanted])
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == now:
        return False
    subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], check=True)
    for command in commands:
        subprocess.run(command, check=True)
    stamp.write_text(now, encoding="utf-8")
    return True
