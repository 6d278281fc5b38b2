"""Checks that each Python docstring begins with its subject.

One that begins with What or Of cannot be read without the name above it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from build_support.builds import ROOT

# in lower case, by words
REFUSED = (("what",), ("whether",), ("of",), ("as",), ("the", "same"))
_SHOWN = 4


def python_files(root: Path = ROOT) -> list[Path]:
    """Every Python file that git has, or would take."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted({root / name for name in listed if (root / name).is_file()})


def refused(text: str) -> Iterator[tuple[int, str]]:
    """The line and the first words of each docstring in the source `text` that does not begin with its subject."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        words = (ast.get_docstring(node) or "").split()
        if any(tuple(map(_bare, words[: len(opening)])) == opening for opening in REFUSED):
            yield node.body[0].lineno, " ".join(words[:_SHOWN])


def _bare(word: str) -> str:
    """The word in lower case, without an `'s` and what punctuation surrounds it."""
    return word.lower().replace("’", "'").partition("'")[0].strip('.,:;!?()"…')


def faults(files: Iterable[Path], root: Path = ROOT) -> list[str]:
    """A sentence for each fault, with its place, in the order of lines."""
    found = []
    for file in files:
        for line, words in sorted(refused(file.read_text(encoding="utf-8"))):
            found.append(
                f'{file.relative_to(root)}:{line}: the docstring begins with "{words}". '
                'Begin with its subject: name what is returned or held, use a verb, or write "True if …".'
            )
    return found


def main() -> int:
    """1 if there is a fault."""
    lines = faults(python_files())
    print("\n".join([*lines, ""]) if lines else "", end="")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
