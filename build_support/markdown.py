"""Checks the Markdown of the checkout: lines of at most 100 characters, links to files and headings that are there.

A line may be longer only as a row of a table, or where it is one word, such as a link. Links to other hosts are not
followed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from build_support.builds import ROOT

LONGEST = 100
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_CODE = re.compile(r"(`+).+?\1")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_LINKED = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*$")
_ANCHOR = re.compile(r'<a id="([^"]+)"')
_ONE_WORD = re.compile(r"\s*(?:[-*>]\s+)*\S+\s*")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


def markdown_files(root: Path = ROOT) -> list[Path]:
    """Every Markdown file that git has, or would take."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted({root / name for name in listed if (root / name).is_file()})


def long_lines(text: str) -> Iterator[tuple[int, int]]:
    """The number and the length of each line that is too long."""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST and not line.startswith("|") and not _ONE_WORD.fullmatch(line):
            yield number, len(line)


def anchors(text: str) -> set[str]:
    """The names that a link may have after `#`: headings as GitHub spells them, and `<a id="…">`."""
    found: set[str] = set()
    counts: dict[str, int] = {}
    for _, line in _prose(text):
        found.update(_ANCHOR.findall(line))
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            words = re.sub(r"[^\w\- ]", "", _LINKED.sub(r"\1", heading[1]).lower()).strip()
            slug = words.replace(" ", "-")
            earlier = counts.get(slug, 0)
            counts[slug] = earlier + 1
            found.add(f"{slug}-{earlier}" if earlier else slug)
    return found


def broken_links(file: Path) -> Iterator[tuple[int, str, str]]:
    """The line of each link that leads nowhere, its target, and what is missing."""
    lines = dict(_prose(file.read_text(encoding="utf-8")))
    text = "\n".join(_CODE.sub("", lines.get(number, "")) for number in range(1, max(lines, default=0) + 1))
    for link in _LINK.finditer(text):
        number, target = text.count("\n", 0, link.start(1)) + 1, link[1]
        path, _, anchor = unquote(target).partition("#")
        to = (file.parent / path).resolve() if path else file
        if _ELSEWHERE.match(target):
            continue
        if not to.exists():
            yield number, target, f"{path} does not exist"
        elif anchor and to.suffix == ".md" and anchor not in anchors(to.read_text(encoding="utf-8")):
            yield number, target, f"{to.name} has no heading or anchor {anchor}"


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines that are not in a fenced block."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def faults(files: Iterable[Path], root: Path = ROOT) -> list[str]:
    """A sentence for each fault, with its place."""
    found = []
    for file in files:
        name = file.relative_to(root)
        for number, length in long_lines(file.read_text(encoding="utf-8")):
            found.append(f"{name}:{number}: {length} characters, more than {LONGEST}. Break the line.")
        for number, target, missing in broken_links(file):
            found.append(f"{name}:{number}: the link to {target} is broken: {missing}.")
    return found


def main() -> int:
    """1 if there is a fault."""
    lines = faults(markdown_files())
    print("\n".join([*lines, ""]) if lines else "", end="")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
