"""Formats and fixes the Scala sources, shims and tests among them; `--check` only says what it would change."""

from __future__ import annotations

import sys

from build_support.builds import builds
from build_support.maven import maven


def main(arguments: list[str]) -> None:
    """Exits with Maven's code if something fails or, with `--check`, would change."""
    for build in builds():
        # generate-sources names the shim folders, which scalafix would not look into otherwise.
        if arguments == ["--check"]:
            maven(
                build,
                "generate-sources",
                "spotless:check",
                "scalafix:scalafix",
                "-Dscalafix.mode=CHECK",
                quiet=True,
            )
        else:
            maven(build, "generate-sources", "scalafix:scalafix", "spotless:apply", quiet=True)


if __name__ == "__main__":
    main(sys.argv[1:])
