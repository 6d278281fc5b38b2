"""dbt's response to a statement, with what the statement did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbt.adapters.contracts.connection import AdapterResponse

from dbt.adapters.adaptive_spark.response.plan_changes import plan_changes
from dbt.adapters.adaptive_spark.response.run_stats import RunStats
from dbt.adapters.adaptive_spark.response.statement_response import (
    dynamic_filters,
    learned_filters,
    message,
    rows_written,
)


@dataclass
class AdaptiveSparkResponse(AdapterResponse):
    """dbt's response with what the statement's filters did.

    `adaptive_filters` has one entry a filter, conjuncts in their final order; `dynamic_filters` one for each key of a
    join that pruned a scan, or could not: `verdict_code` and `verdict_figures` say why to programs, `verdict` to
    people; `aqe` what adaptive execution changed, by kind (`plan_changes`).
    """

    adaptive_filters: list[dict[str, Any]] | None = None
    dynamic_filters: list[dict[str, Any]] | None = None
    aqe: dict[str, list[dict[str, Any]]] | None = None


def response(stats: RunStats) -> AdaptiveSparkResponse:
    """dbt's response to a statement."""
    written, filters = rows_written(stats["queries"]), learned_filters(stats["filters"])
    dynamic = dynamic_filters(stats["dynamic"])
    aqe = plan_changes(stats["plans"])
    return AdaptiveSparkResponse(
        _message=message(written, filters, dynamic, aqe),
        code="OK",
        rows_affected=written,
        adaptive_filters=filters,
        dynamic_filters=dynamic,
        aqe=aqe,
    )
