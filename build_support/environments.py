"""Virtual environments beside `.venv`, each kept until what it is asked to hold changes."""

from __future__ import annotations

import os
import re
import shutil
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
    empty(folder, sys.executable, "--without-pip")
    for command in commands:
        subprocess.run(command, check=True)
    stamp.write_text(now, encoding="utf-8")
    return True


def empty(folder: Path, python: str, *options: str) -> Path:
    """An environment of a Python, with nothing in it but what that Python's `venv` puts there."""
    subprocess.run([python, "-m", "venv", "--clear", *options, str(folder)], check=True)
    return folder


def find_python(minor: str) -> str | None:
    """A Python of a minor version on this machine, such as 3.12: the one on PATH, or else pyenv's newest."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    kept = [folder for folder in (root / "versions").glob(f"{minor}.*") if folder.name[-1:].isdigit()]
    kept.sort(key=lambda folder: [int(part) for part in re.findall(r"\d+", folder.name)], reverse=True)
    on_path = shutil.which(f"python{minor}")
    for python in [*([on_path] if on_path else []), *(str(folder / "bin" / "python") for folder in kept)]:
        if _is(python, minor):
            return python
    return None


def _is(python: str, minor: str) -> bool:
    """True if a command is that Python: pyenv puts some on PATH that only say they are not installed."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        ran = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return ran.stdout.strip() == minor
