"""Where a table's files lie, as its model says it: below `location_root`, in a folder by its alias. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.table.layout import FORMAT, PARTITION_BY, SESSION_FORMATS

ROOT = "location_root"
OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"
OVERWRITES_FILES = "spark.sql.legacy.allowNonEmptyLocationInCTAS"
# of SHOW TABLE EXTENDED
_LOCATION = re.compile(r"^Location: *(\S.*?) *$", re.MULTILINE)
_SCHEME = re.compile(r"^([A-Za-z][\w+.-]*:)(?://([^/]*))?")


def lies_in_place(configs: Mapping[str, Any], alias: str, information: str) -> bool:
    """True if a table, of which Spark says `information`, has its files where a model's next one will have them. Delta
    Lake and Iceberg replace a table together with its files.
    """
    root, found = configs.get(ROOT), _LOCATION.search(information)
    if not root or found is None or configs.get(FORMAT) in SESSION_FORMATS:
        return False
    (scheme, path), (found_scheme, found_path) = _parts(f"{root}/{alias}"), _parts(found[1])
    if not path.startswith("/"):
        return found_path.endswith(f"/{path}")
    return path == found_path and scheme in ("", found_scheme)


def refill_entries(configs: Mapping[str, Any], said: Sequence[ConfEntry]) -> list[ConfEntry]:
    """The confs of a node, `said` among them, whose table is made where its files lie.

    Spark refuses that, or writes over them. In dynamic mode it would leave the partitions that have no new rows, and
    find their old rows again.
    """
    if not configs.get(PARTITION_BY):
        return [ConfEntry(OVERWRITES_FILES, "true"), *said]
    others = [entry for entry in said if entry.key != OVERWRITE_MODE]
    return [ConfEntry(OVERWRITES_FILES, "true"), *others, ConfEntry(OVERWRITE_MODE, "static")]


def _parts(place: str) -> tuple[str, str]:
    """A place's scheme with what it is of, such as a bucket, empty where it has none, and its path."""
    found = _SCHEME.match(place)
    scheme = "" if found is None else f"{found[1]}//{found[2] or ''}"
    rest = place if found is None else place[found.end() :]
    return scheme, re.sub("/+", "/", rest).rstrip("/")
