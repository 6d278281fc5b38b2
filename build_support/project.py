"""The project as pyproject.toml declares it."""

from __future__ import annotations

import sys
from typing import Any

from build_support.builds import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest brings it there


def declared() -> dict[str, Any]:
    """All of pyproject.toml."""
    content: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return content


def project() -> dict[str, Any]:
    """The table `project`: the package and its requirements."""
    table: dict[str, Any] = declared()["project"]
    return table
