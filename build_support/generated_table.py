"""A page of the docs with a table that is made from result files, between two marks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from build_support.builds import ROOT


def replaced(text: str, begin: str, end: str, lines: Iterable[str]) -> str:
    """A page with other lines between two of its marks."""
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    table = "\n".join(lines)
    return f"{before}{begin}\n{table}\n{end}{after}"


def update(page: Path, content: str, results: Path, arguments: Sequence[str]) -> int:
    """Writes the page; with `--check` it writes nothing, and returns 1 if the page differs from its results."""
    if arguments != ["--check"]:
        page.write_text(content, encoding="utf-8")
        return 0
    if page.read_text(encoding="utf-8") == content:
        return 0
    names = (os.path.relpath(each, ROOT) for each in (page, results))
    print(f"{' is not of the results in '.join(names)}: run `make docs`.")
    return 1
