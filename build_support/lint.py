"""`make lint`: all static checks, or those that are named: `python -m build_support.lint mypy imports`."""

from __future__ import annotations

import sys

from build_support.needs import JAR
from build_support.stages import Stage, module, run, select

PACKAGES = ["dbt.adapters.adaptive_spark", "dbt.include.adaptive_spark", "build_support"]

STAGES = [
    Stage("ruff-check", module("ruff", "check", ".")),
    Stage("ruff-format", module("ruff", "format", "--check", ".")),
    Stage("mypy", module("mypy", *(argument for package in PACKAGES for argument in ("-p", package)))),
    Stage("mypy-benchmarks", module("mypy", "benchmarks")),
    Stage("imports", module("build_support.imports")),
    Stage("docstrings", module("build_support.docstrings")),
    Stage("markdown", module("build_support.markdown")),
    Stage("line-table", module("build_support.line_table", "--check")),
    Stage("install-table", module("build_support.install_table", "--check")),
    Stage("dbt-spark-table", module("build_support.dbt_spark_suite", "--check")),
    Stage("scala", module("build_support.scala_sources", "--check")),
    Stage("spark-lines", module("build_support.spark_lines")),
    Stage("config-docs", module("build_support.config_docs", "--check"), needs=[JAR]),
]


if __name__ == "__main__":
    sys.exit(run(select(STAGES, sys.argv[1:])))
