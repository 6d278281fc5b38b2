"""The confs that the first Spark session of the process starts with. Pure: the profile's in, Spark's out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

EXTENSION = "io.adaptivespark.AdaptiveSparkExtensions"
EXTENSIONS_KEY = "spark.sql.extensions"
JARS_KEY = "spark.jars"
# where it is set, something else than Spark answers for the tables of the session catalog
DEFAULT_CATALOG_KEY = "spark.sql.defaultCatalog"
SESSION_CATALOG_KEY = "spark.sql.catalog.spark_catalog"
# where Spark lists tables: Hive's metastore, or its own memory
TABLE_LIST_KEY = "spark.sql.catalogImplementation"
# the servers of a metastore that is not in Spark's own process, after any prefix
METASTORE_SERVERS = "hive.metastore.uris"
# What makes use of the statistics that `analyze` collects: Spark has them off. On a server
# too, unless it says otherwise.
COST_BASED = {
    "spark.sql.cbo.enabled": "true",
    "spark.sql.cbo.planStats.enabled": "true",
    "spark.sql.cbo.joinReorder.enabled": "true",
    "spark.sql.cbo.starSchemaDetection": "true",
    "spark.sql.statistics.histogram.enabled": "true",
}
# What every session of dbt's has, over whatever connection, unless somebody says otherwise.
SESSION_DEFAULTS = {
    "spark.sql.ansi.enabled": "false",  # as dbt-spark has it; Spark 4's own default is true
    **COST_BASED,
    # Of a column whose distinct values Iceberg has counted it tells nothing else, and Spark takes a condition on one
    # without bounds for one that no row meets: a side of any size is broadcast.
    "spark.sql.iceberg.report-column-stats": "false",
}
START_DEFAULTS = {
    "spark.app.name": "dbt",
    TABLE_LIST_KEY: "hive",
    # Spark 4's own default. A model without file_format is a text file of Hive's in 3.5 otherwise, of which nothing is
    # skipped, and which takes rows of several partitions only where Hive is told so.
    "spark.sql.legacy.createHiveTableByDefault": "false",
    "spark.ui.showConsoleProgress": "false",  # its bars write over dbt's own lines
    **SESSION_DEFAULTS,
}

_ESCAPED = re.compile(r"\\(.)")
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}


def missing_defaults(explicit: Mapping[str, str | None]) -> dict[str, str]:
    """The defaults that a session has to be given: those of keys that `explicit` does not have."""
    return {key: value for key, value in SESSION_DEFAULTS.items() if explicit.get(key) is None}


def opening_conf(profile: Mapping[str, str], explicit: Mapping[str, str | None]) -> dict[str, str]:
    """Confs of the profile and the defaults that a new session, in which `explicit` is set, still lacks."""
    wanted = {**missing_defaults(explicit), **profile}
    return {key: value for key, value in wanted.items() if not is_given(explicit.get(key), value)}


def is_given(now: str | None, value: str) -> bool:
    """True if a conf that Spark shows as `now` was given as `value`: of a path such as that of its warehouse it says
    where it is.
    """
    return now in (value, f"file:{value}")


def session_conf(profile: Mapping[str, str], site: Mapping[str, str], jar: str) -> dict[str, str]:
    """The profile's confs with the extension and its jar added to the user's own.

    `site` is what `spark-defaults.conf` says. It is only looked at where adding to it, or a default of ours, would
    otherwise replace it. The master stays Spark's to choose: `local[*]` unless someone says otherwise.
    """
    conf = {key: value for key, value in START_DEFAULTS.items() if key not in site}
    conf.update(profile)
    extensions, jars = (listed(profile.get(key, site.get(key, ""))) for key in (EXTENSIONS_KEY, JARS_KEY))
    # the last one's parser is the session's: some releases of Iceberg look for their own there
    conf[EXTENSIONS_KEY] = ",".join(dict.fromkeys([EXTENSION, *extensions]))
    conf[JARS_KEY] = ",".join(dict.fromkeys([*jars, jar]))
    return conf


def site_conf(lines: Iterable[str]) -> dict[str, str]:
    """The entries of a `spark-defaults.conf`: a key, then a space, `=` or `:`, then the value. Java's properties, in
    which a backslash goes before a character that is meant, and before the end of a line that the next one continues.
    """
    conf = {}
    for line in _whole_lines(lines):
        end = next((at for at, char in enumerate(line) if char in " \t=:"), len(line))
        value = line[end:].lstrip(" \t").removeprefix("=").removeprefix(":").strip()
        conf[line[:end]] = _ESCAPED.sub(lambda match: _CHARACTERS.get(match[1], match[1]), value)
    return conf


def _whole_lines(lines: Iterable[str]) -> Iterator[str]:
    """Lines that continue joined; no comments, and no empty ones."""
    begun = ""
    for line in map(str.strip, lines):
        if not begun and (not line or line.startswith(("#", "!"))):
            continue
        begun += line
        if (len(begun) - len(begun.rstrip("\\"))) % 2:
            begun = begun[:-1]
            continue
        yield begun
        begun = ""
    if begun:
        yield begun


def listed(text: str) -> list[str]:
    """The entries of a conf that is a list, such as spark.sql.extensions."""
    return [part.strip() for part in text.split(",") if part.strip()]
