"""Compiles what changed, and what leans on it, in the main sources and the suites of a build.

Zinc, in Maven's Scala plugin, knows sources by content, takes away the classes of those that are gone, and compiles
suites again whose main classes have another signature. It does not look at Maven's files, resources, Spark's jars and
Java: where one of these changed, the compile begins with an empty folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from build_support.builds import BUILDS_FILE, ROOT, VERSION_FILE, Build
from build_support.maven import MODULE, maven, spark_jars
from build_support.toolchain import run_java


def target(build: Build) -> Path:
    """The folder of all that Maven makes for a build."""
    return MODULE / "target" / build.name


def digest(files: Iterable[Path]) -> str:
    """SHA-256 over the names, relative to the checkout, and contents of `files`."""
    sha256 = hashlib.sha256()
    for file in sorted(files):
        content = file.read_bytes()
        sha256.update(f"{os.path.relpath(file, ROOT)} {len(content)}\n".encode())
        sha256.update(content)
    return sha256.hexdigest()


def _files(*folders: Path) -> list[Path]:
    return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


def main_inputs(build: Build) -> list[Path]:
    """All files that a build's jar is made of."""
    folders = [MODULE / "src" / "main" / folder for folder in ("scala", "resources", *build.shims)]
    return [*_files(*folders), MODULE / "pom.xml", BUILDS_FILE, VERSION_FILE, ROOT / "LICENSE"]


def _beside_sources(build: Build) -> str:
    """All that decides about class files and resources and is no Scala source."""
    resources = _files(MODULE / "src" / "test" / "resources")
    inputs = [*main_inputs(build), *resources, *_files(MODULE / ".mvn")]
    jars = [f"{jar.name} {jar.stat().st_size}" for jar in sorted(spark_jars(build).glob("*.jar"))]
    # Zinc remembers where sources are.
    named = "\n".join([str(MODULE), run_java("-version")[1], *jars])
    return f"{digest(file for file in inputs if file.suffix != '.scala')} {named}"


def run_maven(build: Build, *goals: str) -> None:
    """Runs goals that compile, one process at a time. Begins with an empty folder where its classes are of another
    build, or half written."""
    folder = target(build)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _run_locked(build, folder, *goals)


def _run_locked(build: Build, folder: Path, *goals: str) -> None:
    stamp = folder / "beside-sources.stamp"
    now = _beside_sources(build)
    if not stamp.is_file() or stamp.read_text() != now:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    stamp.unlink(missing_ok=True)
    try:
        maven(build, *goals, quiet=True)
    except SystemExit:
        stamp.write_text(now)  # an error in a source, after which Zinc puts the classes back as they were
        raise
    stamp.write_text(now)


def _compiled(build: Build) -> str:
    folder = target(build)
    return digest([*_files(folder / "classes", folder / "test-classes"), *folder.glob("test-classpath.txt")])


def ensure_main(build: Build) -> bool:
    """Compiles the main sources unless the classes are those of the sources; true if it had to."""
    stamp = target(build) / "main.stamp"
    sources = f"{digest(main_inputs(build))} {_beside_sources(build)}"

    def state() -> str:
        return f"{sources}\n{digest(_files(target(build) / 'classes'))}"

    if stamp.is_file() and stamp.read_text() == state():
        return False
    run_maven(build, "compile")
    stamp.write_text(state())
    return True


def _suites_stamp(build: Build) -> Path:
    return target(build) / "suites.stamp"


def ensure_suites(build: Build) -> None:
    """Compiles the suites, and the main sources with them, unless the classes are those of the sources."""
    stamp = _suites_stamp(build)
    # The main classes are part of it: `make jars` compiles them alone, perhaps from the sources of another branch.
    sources = f"{digest([*main_inputs(build), *_files(MODULE / 'src' / 'test')])} {_beside_sources(build)}"
    if stamp.is_file() and stamp.read_text() == f"{sources}\n{_compiled(build)}":
        return
    run_maven(build, "test-compile")
    stamp.write_text(f"{sources}\n{_compiled(build)}")


def suites_are_whole(build: Build) -> bool:
    """True if suites and main classes are of one compile, of whatever sources."""
    stamp = _suites_stamp(build)
    return stamp.is_file() and stamp.read_text().endswith(f"\n{_compiled(build)}")
