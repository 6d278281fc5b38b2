"""Where a table's files lie, as its model says it: below `location_root`, in a folder by its alias. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dbt.adapters.adaptive_spark.table.layout import FORMAT, SESSION_FORMATS

ROOT = "location_root"
OVERWRITES_FILES = "spark.sql.legacy.allowNonEmptyLocationInCTAS"
# of SHOW TABLE EXTENDED
_LOCATION = re.compile(r"^Location: *(\S*/.*?) *$", re.MULTILINE)
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


def files_in_place(configs: Mapping[str, Any], table: str, model: str, can_overwrite: bool = True) -> str:
    """The sentence for a table that is to be dropped for one that Spark would not make over its files. It may be told
    to where it `can_overwrite` them.
    """
    sentence = (
        f"{table} has its files where the {ROOT} of its model puts the next table's. They stay where it is dropped, and "
        f"Spark makes no table over files ({model}). Give it file_format delta or iceberg, or leave {ROOT} out."
    )
    if not can_overwrite or configs.get(FORMAT) == "hudi":
        return sentence
    return (
        f"{sentence} Or set {OVERWRITES_FILES} to true in its spark_conf: Spark then removes all that is in the folder "
        "before it writes."
    )


def _parts(place: str) -> tuple[str, str]:
    """A place's scheme with what it is of, such as a bucket, empty where it has none, and its path."""
    found = _SCHEME.match(place)
    scheme = "" if found is None else f"{found[1]}//{found[2] or ''}"
    rest = place if found is None else place[found.end() :]
    return scheme, re.sub("/+", "/", rest).rstrip("/")
