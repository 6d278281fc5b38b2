"""The config `grants` on a Spark that has no statements for privileges. Pure.

dbt applies grants once a table is made, so there the model would fail with its new table in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dbt.adapters.adaptive_spark.table.formats import is_overridden

# dbt's macros for grants
_MACROS = ("apply_grants", "get_show_grant_sql", "get_grant_sql", "call_dcl_statements")
# what Spark's own parser says to the statement below, from 3.5 to 4.3
_UNKNOWN_STATEMENT = "PARSE_SYNTAX_ERROR"


def asks_for_grants(configs: Mapping[str, Any], has_macro: Callable[[str], bool]) -> bool:
    """True of a node to which dbt's own macros give grants; `has_macro` is true of the names of the project's."""
    return bool(configs.get("grants")) and not any(is_overridden(name, has_macro) for name in _MACROS)


def show_grants(relation: str) -> str:
    """The statement that dbt begins with."""
    return f"show grants on {relation}"


def grants_fault(error: str, model: str) -> str | None:
    """The sentence for a Spark that answered the statement with `error`; None where it knows the statement."""
    if _UNKNOWN_STATEMENT not in error:
        return None
    return (
        f"grants needs a Spark that has GRANT and SHOW GRANTS, such as Databricks; this one has neither ({model}). "
        "Leave grants out for this target."
    )
