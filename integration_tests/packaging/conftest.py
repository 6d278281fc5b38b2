"""A copy of the checkout to build from, so that a build leaves nothing in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from build_support.builds import ROOT

NOT_COPIED = shutil.ignore_patterns(
    ".*", "target", "build", "dist", "*.egg-info", "__pycache__", "examples", "benchmarks"
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=NOT_COPIED))
