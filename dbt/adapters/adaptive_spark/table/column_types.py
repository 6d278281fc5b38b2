"""Types of columns as a table has them, which a query has by another name. Pure."""

from __future__ import annotations

import re

from dbt.adapters.adaptive_spark.table.layout import ICEBERG

# Fields of structs stand as `name:type`, so that one named so is left alone.
_SMALL = re.compile(r"(?<![\w`-])(?:tinyint|smallint)(?![\w`:-])")


def kept_type(type_: str, format_: str | None) -> str:
    """The type that a table of the format has for a column of a query, as Spark writes it.

    Iceberg has no integers of one or two bytes (https://iceberg.apache.org/spec/#primitive-types).
    """
    return _SMALL.sub("int", type_) if format_ == ICEBERG else type_
