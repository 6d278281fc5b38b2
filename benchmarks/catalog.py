"""`dbt docs generate` over 1,000 tables on a warehouse, by dbt-spark and by this adapter: whole
commands, Spark's start included.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dbt_runs import BASELINE, OURS, SCHEMA, dbt, project
from measure import Case, compare, save
from queries import size

TABLES, ROUNDS = size(1000, rounds=2)
COLUMNS = 10


def prepared() -> Path:
    """A project of as many models as there are tables, which an operation creates empty."""
    columns = ", ".join(f"c{i} bigint" for i in range(COLUMNS))
    create = (
        "{% macro create() %}{% do run_query('create schema if not exists " + SCHEMA + "') %}"
        "{% for i in range(" + str(TABLES) + ") %}"
        "{% do run_query('create table if not exists "
        + SCHEMA
        + ".t' ~ i ~ ' ("
        + columns
        + ") using parquet') %}"
        "{% endfor %}{% endmacro %}"
    )
    models = {f"models/t{i}.sql": f"select 1 as c{i % COLUMNS}" for i in range(TABLES)}
    folder = project(
        "catalog",
        {**models, "macros/create.sql": create},
        models={"+materialized": "table"},
    )
    dbt(folder, OURS, "run-operation", "create")
    return folder


def catalog(folder: Path, adapter: str) -> dict[str, Any]:
    """Tables by name, each with its columns' names and types, as docs.generate wrote them."""
    dbt(folder, adapter, "docs", "generate", "--no-compile")
    nodes = json.loads((folder / "target" / "catalog.json").read_text())["nodes"]
    return {name: list(node["columns"]) for name, node in nodes.items()}


def main() -> None:
    folder = prepared()
    for adapter in (BASELINE, OURS):
        dbt(folder, adapter, "parse")
    case = Case(
        f"{TABLES} tables of {COLUMNS} columns",
        lambda: catalog(folder, BASELINE),
        lambda: catalog(folder, OURS),
    )
    results = compare([case], ROUNDS)
    save("catalog", TABLES, results, {"times_as_fast": results[0]["ratio"]})


if __name__ == "__main__":
    main()
