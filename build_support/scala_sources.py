"""Formats and fixes the Scala sources, shims and tests among them; `--check` only says what it would change."""

from __future__ import annotations

import sys
from dataclasses import replace

from build_support.builds import Build, every_build
from build_support.maven import maven


def every_source() -> Build:
    """The default build with the shim folders of all lines, none of which the format of a source depends on."""
    default, *others = every_build()
    shims = dict.fromkeys(shim for build in (default, *others) for shim in build.shims)
    return replace(default, shims=tuple(shims))


def main(arguments: list[str]) -> None:
    """Exits with Maven's code if something fails or, with `--check`, would change."""
    # generate-sources names the shim folders, which scalafix would not look into otherwise.
    goals = (
        ["generate-sources", "spotless:check", "scalafix:scalafix", "-Dscalafix.mode=CHECK"]
        if arguments == ["--check"]
        else ["generate-sources", "scalafix:scalafix", "spotless:apply"]
    )
    maven(every_source(), *goals, quiet=True)


if __name__ == "__main__":
    main(sys.argv[1:])
