"""Checks docstrings and comments: those of Python begin with their subject, those of Scala and Java are short enough.

A docstring that begins with What or Of cannot be read without the name above it. ruff checks the lengths in Python
(W505). scalafmt breaks code, and leaves comments alone.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from build_support.builds import ROOT

LONGEST = 120
# in lower case, by words
REFUSED = (("what",), ("whether",), ("of",), ("as",), ("the", "same"))
_SHOWN = 4
_COMMENT = ("//", "/*", "*")


def source_files(root: Path = ROOT) -> list[Path]:
    """Every source file of Python, Scala and Java that git has, or would take."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py", "*.scala", "*.java"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted({root / name for name in listed if (root / name).is_file()})


def refused(text: str) -> Iterator[tuple[int, str]]:
    """The line and the first words of each docstring in the Python `text` that does not begin with its subject."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        words = (ast.get_docstring(node) or "").split()
        if any(tuple(map(_bare, words[: len(opening)])) == opening for opening in REFUSED):
            yield node.body[0].lineno, " ".join(words[:_SHOWN])


def _bare(word: str) -> str:
    """The word in lower case, without an `'s` and the punctuation around it."""
    return word.lower().replace("’", "'").partition("'")[0].strip('.,:;!?()"…')


def long_comments(text: str) -> Iterator[tuple[int, int]]:
    """The number and the length of each line of Scala or Java that is a comment and too long; one word may be."""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST and line.lstrip().startswith(_COMMENT) and len(line.split()) > 2:
            yield number, len(line)


def faults(files: Iterable[Path], root: Path = ROOT) -> list[str]:
    """A sentence for each fault, with its place, in the order of lines."""
    found = []
    for file in files:
        name, text = file.relative_to(root), file.read_text(encoding="utf-8")
        if file.suffix == ".py":
            found += [
                f'{name}:{line}: the docstring begins with "{words}". '
                'Begin with its subject: name what is returned or held, use a verb, or write "True if …".'
                for line, words in sorted(refused(text))
            ]
        else:
            found += [
                f"{name}:{line}: a comment of {length} characters, more than {LONGEST}. Break the line."
                for line, length in long_comments(text)
            ]
    return found


def main() -> int:
    """1 if there is a fault."""
    lines = faults(source_files())
    print("\n".join([*lines, ""]) if lines else "", end="")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
