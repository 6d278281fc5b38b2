"""A plugin for dbt-spark's own functional tests, to be loaded before their conftest: in place of their profiles, which
are those of Databricks, there is one Spark on this machine, whose tables are Delta Lake's, under the adapter that
DBT_TYPE names. No test is left out for its profile.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest
from one_session import target_in_format


@pytest.fixture(scope="session")
def dbt_profile_target(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    confs = {
        "spark.jars": os.environ["FORMAT_JARS"],
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    }
    target = target_in_format(tmp_path_factory.mktemp("spark"), "delta", **confs)
    return {**target, "type": os.environ["DBT_TYPE"], "host": "localhost"}


@pytest.fixture
def skip_by_profile_type() -> None:
    pass


# Their conftest imports its fixtures from here.
_FIXTURES = importlib.import_module("tests.functional.fixtures")
for _each in (dbt_profile_target, skip_by_profile_type):
    setattr(_FIXTURES, _each.__name__, _each)
