"""The format of a table by what Spark lists of it. Pure."""

from __future__ import annotations

import re

# Iceberg's own mark of a table in Hive's metastore, of which Spark says that its provider is Hive. A view of Iceberg's
# has another, ICEBERG-VIEW.
_ICEBERG = re.compile(
    r"^Table Properties: \[(.*, ?)?table_type=ICEBERG(?![\w-])", re.MULTILINE | re.IGNORECASE
)


def is_iceberg(information: str) -> bool:
    """True for the text that `show table extended` has of a table of Iceberg's in Hive's metastore."""
    return _ICEBERG.search(information) is not None
