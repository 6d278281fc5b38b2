"""Where a table's files lie, as its model says it: below `location_root`, in a folder by its alias. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from dbt.adapters.adaptive_spark.table.layout import DELTA, FORMAT, ICEBERG, SESSION_FORMATS

ROOT = "location_root"
OVERWRITES_FILES = "spark.sql.legacy.allowNonEmptyLocationInCTAS"
# a scheme with what it is of, and a path
Place: TypeAlias = tuple[str, str]
# of SHOW TABLE EXTENDED
_LOCATION = re.compile(r"^Location: *(\S*/.*?) *$", re.MULTILINE)
# names of one store
_SAME = re.compile(r"^s3[an]:")
_SCHEME = re.compile(r"^([A-Za-z][\w+.-]*:)(?://([^/]*))?")


def lies_in_place(configs: Mapping[str, Any], alias: str, information: str) -> bool:
    """True if a table, of which Spark says `information`, has its files where a model's next one will have them. Delta
    Lake and Iceberg replace a table together with its files.
    """
    return configs.get(FORMAT) not in SESSION_FORMATS and _is_place(configs, alias, information)


def seed_is_blocked(configs: Mapping[str, Any], alias: str, information: str) -> bool:
    """True if a seed's table in another format has its files where Delta Lake is to make the next one: it makes no
    table over files before it has rows. Other formats adopt the files, and the seed's rows replace them.
    """
    return configs.get(FORMAT) == DELTA and _is_place(configs, alias, information)


def _is_place(configs: Mapping[str, Any], alias: str, information: str) -> bool:
    root, found = configs.get(ROOT), _LOCATION.search(information)
    if not root or found is None:
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


def files_of_seed(table: str, model: str) -> str:
    """The sentence for a seed that `seed_is_blocked`."""
    return (
        f"{table} has its files where the {ROOT} of its seed puts the next table's. They stay where it is dropped, and "
        f"Delta Lake makes no seed over files ({model}). Give the seed another {ROOT}, or drop the table and remove its "
        "folder."
    )


def by_place(nodes: Iterable[Any]) -> dict[Place, list[Any]]:
    """dbt's nodes that say where their files lie, by the place."""
    found: dict[Place, list[Any]] = {}
    for node in nodes:
        if (place := place_of(node)) is not None:
            found.setdefault(place, []).append(node)
    return found


def place_of(node: Any) -> Place | None:
    """Where the files of dbt's node lie; None where the catalog or its schema says where, and for Iceberg, whose tables
    share a folder, each with files of names of its own.
    """
    root = node.config.get(ROOT)
    if not root or node.config.get(FORMAT) == ICEBERG:
        return None
    scheme, path = _parts(f"{root}/{node.alias}")
    return ("" if scheme == "file://" else scheme, path) if path.startswith("/") else None


def files_of_two(other: str, alias: str, model: str) -> str:
    """The sentence for two nodes of one place, of which the second would replace the first one's rows."""
    return (
        f"{ROOT}: the table of {other} has its files in the same place, as its alias is {alias}, too ({model}). Give one "
        f"of them another {ROOT} or alias."
    )


def _parts(place: str) -> Place:
    """A place's scheme with what it is of, such as a bucket, empty where it has none, and its path."""
    found = _SCHEME.match(place)
    scheme = "" if found is None else f"{_SAME.sub('s3:', found[1])}//{found[2] or ''}"
    rest = place if found is None else place[found.end() :]
    return scheme, re.sub("/+", "/", rest).rstrip("/")
