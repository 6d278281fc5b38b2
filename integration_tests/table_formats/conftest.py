"""dbt's own adapter suite on tables of a format, which TABLE_FORMAT=iceberg names; those of Delta Lake without it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from one_session import target_in_format

from dbt.adapters.adaptive_spark.spark.installation import installed_line, spark_home
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

pytest_plugins = ["dbt.tests.fixtures.project", "dbt_suite"]
_OF_DATABASE = re.compile(r"\{\{ *(target\.)?database *\}\}\.")
# Delta Lake adds columns without one
_DEFAULT = re.compile(r"\bdefault (null|'[^']*')", re.IGNORECASE)
# into columns of these types Iceberg takes no texts
_DATE = re.compile(r"'(\d{4}-\d\d-\d\d)'")
_TIME = re.compile(r"'(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)'")
_OF_NONE = re.compile(r"`?\bNone`?\.")
FORMAT = FORMATS[os.environ.get("TABLE_FORMAT") or "delta"]


@pytest.fixture(scope="session")
def format_() -> str:
    return FORMAT.name


@pytest.fixture(scope="session")
def spark_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    line = installed_line(spark_home())
    if line not in FORMAT.releases:
        pytest.skip(f"{FORMAT.title} has no release for {line}.")
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="class")
def dbt_profile_target(spark_directory: Path) -> dict[str, Any]:
    return {**target_in_format(spark_directory, FORMAT.name), "file_format": FORMAT.name}


@pytest.fixture(scope="class")
def project(project: Any) -> Any:
    """The suite's, whose own SQL is PostgreSQL's, with names of three parts: here it is Spark's."""
    run_sql = project.run_sql
    for file in Path(project.project_root).rglob("*.sql"):
        file.write_text(_OF_DATABASE.sub("", file.read_text()))

    def run_as_spark(sql: str, fetch: str | None = None) -> Any:
        text = _OF_NONE.sub("", sql.format(schema=project.test_schema, database=None))
        statements = sqlglot.transpile(_DEFAULT.sub("", text), read="postgres", write="spark")
        statements = [_TIME.sub(r"timestamp'\1'", _DATE.sub(r"date'\1'", each)) for each in statements]
        found = [run_sql(each.replace("{", "{{").replace("}", "}}"), fetch) for each in statements if each]
        return found[-1] if found else None

    project.run_sql = run_as_spark
    return project
