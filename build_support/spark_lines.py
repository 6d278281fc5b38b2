"""Compiles the main sources for each line of Spark, as far as they changed: a warning on one line is an error."""

from __future__ import annotations

from build_support.builds import every_build
from build_support.compiling import ensure_main


def main() -> None:
    """Exits with Maven's code where the sources do not compile for a line."""
    for build in every_build():
        print(f"Spark {build.spark}: {'compiled' if ensure_main(build) else 'up to date'}", flush=True)


if __name__ == "__main__":
    main()
