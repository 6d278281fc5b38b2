"""A dbt project of one model, for trying a package: the model's filter adapts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PROJECT = "{name: packaged, version: '1.0', profile: packaged, model-paths: [models]}\n"
MODEL = """\
{{ config(materialized='table', collect_rate=100) }}
select id from range(100000) where id % 2 = 0 and id > 10
"""
_OUTPUTS: dict[str, dict[str, Any]] = {
    "session": {
        "server_side_parameters": {
            "spark.master": "local[2]",
            "spark.driver.memory": "1g",
            "spark.ui.enabled": "false",
        }
    },
    "thrift": {"method": "thrift", "host": "127.0.0.1"},
}


def write(folder: Path, method: str = "session", file_format: str = "") -> Path:
    """Writes the project, with a profile of that method beside it, whose tables are in that format, if it is named."""
    output = {"type": "adaptive_spark", "schema": "packaged", **_OUTPUTS[method]}
    if file_format:
        output["file_format"] = file_format
    (folder / "models").mkdir(parents=True)
    (folder / "models" / "numbers.sql").write_text(MODEL)
    (folder / "dbt_project.yml").write_text(PROJECT)
    # YAML takes JSON
    (folder / "profiles.yml").write_text(
        json.dumps({"packaged": {"target": "dev", "outputs": {"dev": output}}})
    )
    return folder


def fault(folder: Path) -> str:
    """Why the last run of the model is not what it should be; empty if it is."""
    results: list[dict[str, Any]] = json.loads((folder / "target" / "run_results.json").read_text())[
        "results"
    ]
    if [each["status"] for each in results] != ["success"]:
        return f"the model did not succeed: {results}"
    response = results[0]["adapter_response"]
    filters = [(each["rows_in"], each["rows_out"]) for each in response.get("adaptive_filters", [])]
    if (response.get("rows_affected"), filters) != (49_994, [(100_000, 49_994)]):
        return f"other rows than 49,994 of 100,000: {response}"
    return ""
