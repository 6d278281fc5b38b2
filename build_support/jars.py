"""`make jars`: builds each jar whose inputs changed since it was built, and no other."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from build_support.builds import BUILDS_FILE, ROOT, VERSION_FILE, Build, builds
from build_support.maven import MODULE, maven


def digest(files: list[Path]) -> str:
    """SHA-256 over the names, relative to the checkout, and contents of `files`."""
    sha256 = hashlib.sha256()
    for file in sorted(files):
        content = file.read_bytes()
        sha256.update(f"{file.relative_to(ROOT)} {len(content)}\n".encode())
        sha256.update(content)
    return sha256.hexdigest()


def inputs(build: Build) -> list[Path]:
    """All files that a build's jar is made of."""
    folders = [MODULE / "src" / "main" / folder for folder in ("scala", "resources", *build.shims)]
    sources = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return [*sources, MODULE / "pom.xml", BUILDS_FILE, VERSION_FILE, ROOT / "LICENSE"]


def state(build: Build) -> str:
    """The stamp of a fresh jar: digests of its inputs and of its own bytes."""
    return f"{digest(inputs(build))} {digest([build.jar]) if build.jar.is_file() else ''}\n"


def ensure(build: Build) -> bool:
    """Builds the jar unless it is fresh; whether it had to."""
    stamp = MODULE / "target" / build.name / "jar.stamp"
    if stamp.is_file() and stamp.read_text() == state(build):
        return False
    # From scratch, so that classes of deleted sources cannot stay in the jar.
    maven(build, "clean", "package", "-Dmaven.test.skip=true", quiet=True)
    # Renamed into place: a Spark that has the old jar open goes on reading the old one.
    build.jar.parent.mkdir(parents=True, exist_ok=True)
    fresh = shutil.copy(MODULE / "target" / build.name / build.jar.name, build.jar.with_suffix(".new"))
    Path(fresh).replace(build.jar)
    stamp.write_text(state(build))
    return True


def main() -> None:
    """Brings every jar up to date."""
    for build in builds():
        built = ensure(build)
        print(f"{build.jar.relative_to(ROOT)}: {'built' if built else 'up to date'}", flush=True)


if __name__ == "__main__":
    main()
