"""Rows of a query as `dbt show` prints them."""

from __future__ import annotations

import json

AS_JSON = ("--limit", "100", "--output", "json", "--log-format", "json")


def rows_shown(output: str) -> list[tuple[object, ...]]:
    """The rows in the output of `dbt show --inline …` with the options `AS_JSON`."""
    said = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    found = [json.loads(each["data"]["preview"]) for each in said if "preview" in each["data"]]
    assert found, output
    return [tuple(row.values()) for row in found[0]]
