"""Reads the files that dbt and this adapter leave behind a run, each checked, or a sentence
that says which command makes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dbt.adapters.adaptive_spark.learned.evidence import FILE_NAME, Nodes, from_text
from dbt.adapters.adaptive_spark.report.json_reader import Entry, ShapeError
from dbt.adapters.adaptive_spark.report.manifest import Catalog, Project, catalog, project
from dbt.adapters.adaptive_spark.report.run_results import Run, run

_SCHEMA = re.compile(r"/dbt/([a-z-]+)/v(\d+)\.json$")

Content = TypeVar("Content")


class ArtifactError(Exception):
    """An artifact is missing or can't be used; the message is a sentence for the user, with the remedy."""


@dataclass(frozen=True)
class Artifacts:
    """A run, its project, and where there are such, the catalog and what filters learned."""

    run: Run
    project: Project
    catalog: Catalog | None = None
    memory: Nodes | None = None


@dataclass(frozen=True)
class _Kind:
    """A file of dbt's: its name in dbt's schemas, the oldest version that is read, and the command that makes it."""

    file: str
    schema: str
    oldest: int
    command: str


_RUN_RESULTS = _Kind("run_results.json", "run-results", 6, "dbt build")
_MANIFEST = _Kind("manifest.json", "manifest", 12, "dbt build")
_CATALOG = _Kind("catalog.json", "catalog", 1, "dbt docs generate --no-compile")


def artifacts(target: Path, docs: Path) -> Artifacts:
    """Those of `target`; manifest.json and catalog.json of `docs`, which may be the same folder.

    Raises ArtifactError.
    """
    return Artifacts(
        run=_required(target, _RUN_RESULTS, run),
        project=_required(docs, _MANIFEST, project),
        catalog=_optional(docs, _CATALOG, catalog),
        memory=_memory(target / FILE_NAME),
    )


def _required(folder: Path, kind: _Kind, of: Callable[[Entry], Content]) -> Content:
    found = _optional(folder, kind, of)
    if found is None:
        raise ArtifactError(
            f"{folder / kind.file} is missing: `{kind.command}` makes it. "
            "If dbt writes its artifacts elsewhere, say --target-path."
        )
    return found


def _optional(folder: Path, kind: _Kind, of: Callable[[Entry], Content]) -> Content | None:
    path = folder / kind.file
    text = _bytes(path)
    if text is None:
        return None
    try:
        content = Entry.of(json.loads(text))
        _check_version(path, kind, content)
        return of(content)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(f"{path} is not JSON. Run `{kind.command}` again.") from error
    except ShapeError as error:
        raise ArtifactError(f"{path} is not what dbt writes: {error}. Run `{kind.command}` again.") from error


def _check_version(path: Path, kind: _Kind, content: Entry) -> None:
    stated = content.at("metadata").text("dbt_schema_version")
    found = _SCHEMA.search(stated)
    if found is None or found[1] != kind.schema:
        raise ShapeError(f"its schema is {stated!r:.80}")
    if int(found[2]) < kind.oldest:
        raise ArtifactError(
            f"{path} is too old: it has version {found[2]} of dbt's schema, and version {kind.oldest} or newer is read. "
            f"Run `{kind.command}` with dbt 1.8 or newer."
        )


def _memory(path: Path) -> Nodes | None:
    text = _bytes(path)
    if text is None:
        return None
    try:
        return from_text(text)
    except ValueError as error:
        raise ArtifactError(f"{path} {error}. Delete it: the next run makes it anew.") from error


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror}.") from error
