"""Finds a Chromium, which the report's tests look at it with, or installs Debian's where this may be
done; else stops with one sentence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "google-chrome", "chromium-browser", "google-chrome-stable")
REMEDY = (
    "No Chromium found, which the tests of the report need: install it (e.g. `apt-get install chromium`) or Google Chrome, "
    "and put it on PATH."
)


def chromium() -> str | None:
    """The first on PATH."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def install() -> None:
    """Debian's, where there is an apt-get and it is allowed. Raises CalledProcessError where that fails."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            subprocess.run(["apt-get", "-qq", *arguments], check=True, env=environment)


def main() -> int | str:
    """0 once there is one, else what to do."""
    if chromium() is None:
        try:
            install()
        except subprocess.CalledProcessError as error:
            return f"`{' '.join(error.cmd)}` failed. {REMEDY}"
    return 0 if chromium() is not None else REMEDY


if __name__ == "__main__":
    sys.exit(main())
