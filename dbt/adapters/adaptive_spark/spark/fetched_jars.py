"""Remembers which jars Spark fetched for a release, so that the next start names them and asks Maven's host nothing.

To resolve a release anew takes Spark seconds of each start and some hundred lines, though all of its jars are there.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dbt.adapters.adaptive_spark.spark.installation import SparkLine

IVY_KEY = "spark.jars.ivy"


def ivy_folder(confs: Mapping[str, str], line: SparkLine) -> Path:
    """The folder that Spark keeps what it fetched in. Spark 4 moved it, with Ivy 2.5.2."""
    default = Path.home() / (".ivy2" if line.spark.startswith("3.") else ".ivy2.5.2")
    return Path(confs.get(IVY_KEY, default)).expanduser()


def fetched_jars(folder: Path, release: str) -> list[str]:
    """The jars of a release, with all that it needs; none where they are unknown or one of them is gone."""
    try:
        jars = json.loads(_file(folder, release).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    if not isinstance(jars, list) or not all(isinstance(jar, str) and Path(jar).is_file() for jar in jars):
        return []
    return jars if _has(jars, release) else []


def remember_jars(folder: Path, release: str, uris: Iterable[str]) -> None:
    """Notes those of Spark's jars that it fetched into `folder`, unless the release is not among them: Spark was told
    to fetch others in its place. Raises OSError where it cannot be written.
    """
    jars = _within(folder, uris)
    if not _has(jars, release):
        return
    write_whole(_file(folder, release), json.dumps(jars, indent=1))


def write_whole(file: Path, text: str) -> None:
    """Writes a file that another dbt may read meanwhile. Raises OSError where it cannot be written."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as fresh:
            fresh.write(text)
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def own_folder(folder: Path) -> Path:
    """Where dbt's notes are, below Spark's `folder` for jars."""
    return folder / "adaptive-spark"


def _within(folder: Path, uris: Iterable[str]) -> Sequence[str]:
    paths = [Path(unquote(urlsplit(uri).path)) for uri in uris]
    return [str(path) for path in paths if path.is_relative_to(folder)]


def _has(jars: Iterable[str], release: str) -> bool:
    """True if the release's own jar is there, which Ivy names by its group, too."""
    _, artifact, number = release.split(":")
    return any(Path(jar).name.endswith(f"{artifact}-{number}.jar") for jar in jars)


def _file(folder: Path, release: str) -> Path:
    return own_folder(folder) / f"{release.replace(':', '_')}.json"
