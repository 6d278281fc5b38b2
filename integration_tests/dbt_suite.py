"""A plugin for dbt's own adapter suite, which keeps dbt from what none of its tests sees."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from dbt_common.behavior_flags import BehaviorFlagRendered


def pytest_configure(config: pytest.Config) -> None:
    """Lets the suite run.

    To write the manifest after each command, and to look through all frames of pytest for the module that declares a
    flag, each took a sixth of the suite's Python time.
    """
    # the suite defines its fixtures as instance methods throughout
    config.addinivalue_line(
        "filterwarnings", "ignore:(Class|Session)-scoped fixtures defined as instance methods"
    )
    os.environ.setdefault("DBT_WRITE_JSON", "false")
    setattr(BehaviorFlagRendered, "_default_source", staticmethod(lambda: __name__))  # noqa: B010


@pytest.fixture(scope="class")
def artifacts() -> Iterator[None]:
    """For a class that reads what dbt writes into `target`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_WRITE_JSON", "true")
        yield
