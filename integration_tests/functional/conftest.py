"""dbt's own adapter suite on tables without a format of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from one_session import target_in

pytest_plugins = ["dbt.tests.fixtures.project", "dbt_suite"]


@pytest.fixture(scope="session")
def spark_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="class")
def dbt_profile_target(spark_directory: Path) -> dict[str, Any]:
    return target_in(spark_directory)
