"""Formats and fixes the Scala sources, shims and tests among them; `--check` only says what it would change."""

from __future__ import annotations

import sys

from build_support.builds import builds
from build_support.maven import maven


def main(arguments: list[str]) -> None:
    """Exits with Maven's code if something fails or, with `--check`, would change."""
    build = builds()[0]
    if arguments == ["--check"]:
        maven(build, "spotless:check", "scalafix:scalafix", "-Dscalafix.mode=CHECK", quiet=True)
    else:
        maven(build, "scalafix:scalafix", "spotless:apply", quiet=True)


if __name__ == "__main__":
    main(sys.argv[1:])
