"""The table formats that a project names: by its text, since Spark starts while dbt still parses the project, and by
its nodes, where the text leaves it open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Formats that Spark has only with classes of another project, by the value of `file_format`.
FORMATS = DELTA, ICEBERG = "delta", "iceberg"
_FORMAT = re.compile(rf"\b(?:{'|'.join(FORMATS)})\b", re.IGNORECASE)
# What stands behind the key where it is given a value: on its line in YAML, until the next argument elsewhere.
_KEY = r"file_format['\"]?\]?\s*(?::(?!:)|=(?!=))"
_OF_YAML = re.compile(rf"{_KEY}([^\n]*)", re.IGNORECASE)
_OF_CODE = re.compile(rf"{_KEY}\s*((?:\([^()]*\)|'[^']*'|\"[^\"]*\"|[^,(){{}}'\"%;])*)", re.IGNORECASE)
# A value that no Jinja changes: a quoted word, or one that can be no name of a variable; or one of two such.
_PLAIN = r"(?:'\w+'|\"\w+\"|avro|csv|hudi|json|none|null|orc|parquet|text)"
_CLOSED = re.compile(rf"\s*{_PLAIN}\s*", re.IGNORECASE)
_CLOSED_CHOICE = re.compile(
    rf"\s*{_PLAIN}\s+if\b(?:(?!\b(?:if|else)\b).)*\belse\s+{_PLAIN}\s*", re.IGNORECASE | re.DOTALL
)
_CLOSED_OF_YAML = re.compile(r"\s*(?:'\w+'|\"\w+\"|\w+)\s*(?:[,}#].*)?")
_YAML = {".yml", ".yaml"}
_TEXTS = {".sql", ".py", *_YAML}
# The folders of a package that give its nodes configs, unless it renames them.
_OF_PACKAGES = ("models", "seeds", "snapshots")


@dataclass(frozen=True)
class NamedFormats:
    """The formats that a project's text names, and those besides that its Jinja may mean.

    `is_all` is false where only the parsed project tells which they are.
    """

    names: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()
    is_all: bool = True


def named_formats(
    project: Path,
    folders: Iterable[str],
    macros: Iterable[str] = (),
    packages: Path | None = None,
    default: str | None = None,
) -> NamedFormats:
    """The formats that are given to `file_format` in dbt_project.yml, or in a file in `folders`.

    A comment counts, too, and a model that is off: a Spark with a format that no model has does no harm. Left open is
    what Jinja puts together, and a format that only `macros` or `packages`, a folder, name: much there is for other
    adapters. Of several formats dbt's nodes tell the first, unless `default`, the profile's, is one.
    """
    own = list(_values([project / "dbt_project.yml", *_files(project / folder for folder in folders)]))
    names = _words(value for value, is_closed in own if is_closed)
    perhaps = _words(value for value, _ in own) - names
    theirs = list(_values(_of_packages(packages)))
    of_macros = _values(_files(project / each for each in macros))
    others = _words([*(value for value, _ in theirs), *(value for value, _ in of_macros)])
    is_open = not all(is_closed for _, is_closed in [*own, *theirs])
    is_first_known = default in FORMATS or len(names) < 2
    is_all = not is_open and is_first_known and (perhaps | others) - names <= {default}
    return NamedFormats(names, perhaps, is_all)


def formats_of(nodes: Iterable[Any], project: str | None) -> list[str]:
    """The formats of dbt's nodes that are on, those of the project itself before those of its packages."""
    own: list[str] = []
    theirs: list[str] = []
    for node in nodes:
        config = getattr(node, "config", None)
        name = "" if config is None else str(config.get("file_format") or "").lower()
        if name in FORMATS:
            (own if getattr(node, "package_name", None) == project else theirs).append(name)
    return list(dict.fromkeys([*sorted(own), *sorted(theirs)]))


def _words(values: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for value in values for name in _FORMAT.findall(value))


def _of_packages(folder: Path | None) -> Iterator[Path]:
    # one by one: the folder of a local package is a link, which a search does not follow
    for package in [] if folder is None or not folder.is_dir() else sorted(folder.iterdir()):
        yield package / "dbt_project.yml"
        yield from _files(package / each for each in _OF_PACKAGES)


def _values(files: Iterable[Path]) -> Iterator[tuple[str, bool]]:
    """The values of `file_format`, each with true if no Jinja changes it; one without words if a file is unreadable."""
    for file in files:
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            continue
        except OSError:
            yield "", False
            continue
        is_yaml = file.suffix in _YAML
        for value in (_OF_YAML if is_yaml else _OF_CODE).findall(text):
            yield value, _is_closed(value, is_yaml)


def _is_closed(value: str, is_yaml: bool) -> bool:
    if (_CLOSED_OF_YAML if is_yaml else _CLOSED).fullmatch(value):
        return True
    # dbt's nodes tell whether it is a format: Spark then needs its release only if it is
    return _FORMAT.search(value) is None and _CLOSED_CHOICE.fullmatch(_unquoted(value)) is not None


def _unquoted(value: str) -> str:
    """The text within Jinja's braces: `"{{ 'orc' if … else 'parquet' }}"`."""
    return value.strip().strip("\"'").removeprefix("{{").removesuffix("}}") if "{{" in value else value


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        yield from (file for file in folder.rglob("*") if file.suffix in _TEXTS and file.is_file())
