"""`make jars`: builds each chosen jar whose inputs changed since it was built, and no other."""

from __future__ import annotations

import shutil
from pathlib import Path

from build_support.builds import ROOT, Build, chosen
from build_support.compiling import digest, main_inputs, run_maven, target


def state(build: Build) -> str:
    """The stamp of a fresh jar: digests of its inputs and of its own bytes."""
    return f"{digest(main_inputs(build))} {digest([build.jar]) if build.jar.is_file() else ''}\n"


def ensure(build: Build) -> bool:
    """Builds the jar unless it is fresh; whether it had to."""
    stamp = target(build) / "jar.stamp"
    if stamp.is_file() and stamp.read_text() == state(build):
        return False
    run_maven(build, "package", "-Dmaven.test.skip=true")
    # Renamed into place: a Spark that has the old jar open goes on reading the old one.
    build.jar.parent.mkdir(parents=True, exist_ok=True)
    fresh = shutil.copy(target(build) / build.jar.name, build.jar.with_suffix(".new"))
    Path(fresh).replace(build.jar)
    stamp.write_text(state(build))
    return True


def main() -> None:
    """Brings the chosen jars up to date."""
    for build in chosen():
        built = ensure(build)
        print(f"{build.jar.relative_to(ROOT)}: {'built' if built else 'up to date'}", flush=True)


if __name__ == "__main__":
    main()
