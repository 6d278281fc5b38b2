"""The table formats that a project names: by its text, since Spark starts while dbt still parses the project, and by
its nodes where the text leaves it open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Formats that Spark has only with classes of another project, by the value of `file_format`.
FORMATS = ("delta", "iceberg")
_LINE = re.compile(r"file_format\b([^\n]*)", re.IGNORECASE)
_FORMAT = re.compile(rf"\b(?:{'|'.join(FORMATS)})\b", re.IGNORECASE)
# What stands behind the key where it is given a value, and a value that no Jinja changes: a quoted word, or one that
# can be no name of a variable.
_VALUE = re.compile(r"['\"]?\s*[:=](?!=)(.*)")
_WORD = re.compile(
    r"\s*(?:'\w+'|\"\w+\"|avro|csv|hudi|json|none|null|orc|parquet|text)\s*(?:[,)}#].*)?$", re.IGNORECASE
)
_TEXTS = {".sql", ".py", ".yml", ".yaml"}


@dataclass(frozen=True)
class NamedFormats:
    """The formats that a text names; `is_all` is false where it may mean others, too."""

    names: frozenset[str] = frozenset()
    is_all: bool = True


def named_formats(project: Path, folders: Iterable[str], packages: Path | None = None) -> NamedFormats:
    """The formats that stand after `file_format` on a line of dbt_project.yml or of a file in `folders`.

    A comment counts, too, and a model that is off: a Spark with a format that no model has does no harm. Left open is
    what Jinja puts together, and what `packages`, the folder of the project's packages, name: much of it is for other
    adapters.
    """
    texts = [project / "dbt_project.yml", *_files(project / folder for folder in folders)]
    values = list(_values(texts))
    names = frozenset(name.lower() for value in values for name in _FORMAT.findall(value))
    theirs = [] if packages is None else _values(_files([packages]))
    is_all = not any(_is_open(value) for value in values) and not any(
        _FORMAT.search(value) or _is_open(value) for value in theirs
    )
    return NamedFormats(names, is_all)


def formats_of(nodes: Iterable[Any]) -> frozenset[str]:
    """The formats of dbt's nodes that are on."""
    configs = (getattr(node, "config", None) for node in nodes)
    named = (str(config.get("file_format") or "").lower() for config in configs if config is not None)
    return frozenset(FORMATS).intersection(named)


def _is_open(value: str) -> bool:
    """True if Jinja, or another line, says what the value is."""
    given = _VALUE.match(value)
    return given is not None and not _FORMAT.search(value) and _WORD.match(given[1]) is None


def _values(files: Iterable[Path]) -> Iterator[str]:
    """The text after `file_format`, line by line."""
    for file in files:
        yield from _LINE.findall(file.read_text(encoding="utf-8", errors="replace"))


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (file for file in folder.rglob("*") if file.suffix in _TEXTS and file.is_file())
