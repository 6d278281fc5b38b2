"""What the extension says of dynamic filters: its verdicts, and the thresholds that the adapter must share. Their home is the jar.

`dynamic_filters.json` is generated from the jar by `make docs`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from dbt.include.adaptive_spark import PACKAGE_PATH

# The verdict code of a filter that was placed; all others are refusals.
FILTERED = "filtered"


@lru_cache(maxsize=1)
def _facts() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(
        (Path(PACKAGE_PATH) / "dynamic_filters.json").read_text(encoding="utf-8")
    )
    return facts


def most_kept() -> float:
    """The share of a scan's rows, from 0 to 1, above which its filters saved too little to wait for their keys."""
    return float(_facts()["most_kept"])


def patience() -> int:
    """Runs without a filter that was of no use, before Spark tries it again."""
    return int(_facts()["patience"])


def verdict_codes() -> tuple[str, ...]:
    """Every code that `dynamic_filter_stats()` may have as `verdict_code`."""
    return tuple(each["code"] for each in _facts()["verdicts"])
