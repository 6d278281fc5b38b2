"""Finds the table formats that a project names, by its text: Spark starts while dbt still parses the project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# Formats that Spark has only with classes of another project, by the value of `file_format`.
FORMATS = ("delta", "iceberg")
_LINE = re.compile(r"file_format\b[^\n]*", re.IGNORECASE)
_FORMAT = re.compile(rf"\b(?:{'|'.join(FORMATS)})\b", re.IGNORECASE)
_TEXTS = {".sql", ".py", ".yml", ".yaml"}


def named_formats(project: Path, folders: Iterable[str]) -> frozenset[str]:
    """The formats that stand after `file_format` on a line of dbt_project.yml or of a file in `folders`.

    A comment counts, too, and a model that is off: a Spark with a format that no model has does no harm. A format that
    Jinja puts together is not found.
    """
    texts = [project / "dbt_project.yml", *_files(project / folder for folder in folders)]
    lines = (
        line for text in texts for line in _LINE.findall(text.read_text(encoding="utf-8", errors="replace"))
    )
    return frozenset(name.lower() for line in lines for name in _FORMAT.findall(line))


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (file for file in folder.rglob("*") if file.suffix in _TEXTS and file.is_file())
