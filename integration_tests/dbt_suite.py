"""A plugin for dbt's own adapter suite, which keeps dbt from work that none of its tests sees."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from dbt_common.behavior_flags import BehaviorFlagRendered

_patch = pytest.MonkeyPatch()


def pytest_configure(config: pytest.Config) -> None:
    """Lets the suite run.

    To write the manifest after each command, and to look through all frames of pytest for the module that declares a
    flag, each took a sixth of the suite's Python time.
    """
    # the suite defines its fixtures as instance methods throughout
    config.addinivalue_line(
        "filterwarnings", "ignore:(Class|Session)-scoped fixtures defined as instance methods"
    )
    _patch.setenv("DBT_WRITE_JSON", "false")
    _patch.setattr(BehaviorFlagRendered, "_default_source", staticmethod(lambda: __name__))


def pytest_unconfigure() -> None:
    _patch.undo()


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from following each object of each module whenever dbt has parsed a project, which
    took another sixth.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="class")
def artifacts() -> Iterator[None]:
    """For a class that reads what dbt writes into `target`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_WRITE_JSON", "true")
        yield
