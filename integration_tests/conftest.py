"""Random examples: those of the environment's SEED, or without it the same ones in each run."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

SEED = os.environ.get("SEED")
# What makes the same examples again.
AGAIN = " ".join(f"{name}={os.environ[name]}" for name in ("SEED", "EQUALITY_EXAMPLES") if name in os.environ)

settings.register_profile("fixed", derandomize=True)
settings.register_profile("seeded", derandomize=False)
settings.load_profile("seeded" if SEED else "fixed")


# before hypothesis reads its own option
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if SEED:
        config.option.hypothesis_seed = SEED


def pytest_report_header() -> list[str]:
    return [f"Random examples are those of {AGAIN}."] if SEED else []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """A failure on random examples ends with their seed."""
    report = yield
    if SEED and report.failed and "hypothesis" in item.keywords:
        report.sections.append(("SEED", f"{AGAIN} repeats these examples."))
    return report
