"""Gives Spark, before it starts, what it needs for a format of tables that it does not have itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dbt.adapters.adaptive_spark.spark.installation import SparkLine
from dbt.adapters.adaptive_spark.spark.session_conf import (
    EXTENSIONS_KEY,
    JARS_KEY,
    SESSION_CATALOG_KEY,
    listed,
)

PACKAGES_KEY = "spark.jars.packages"


@dataclass(frozen=True)
class TableFormat:
    """A format as models name it, its extension and catalog, and its releases: Maven's coordinates by line of Spark.

    `jar` is the pattern of the jar's name, in which a group `scala` tells the Scala that it is for, and `spark` the
    line, where the name has it.
    """

    name: str
    title: str
    extension: str
    catalog: str
    releases: Mapping[SparkLine, str]
    jar: re.Pattern[str]


DELTA = TableFormat(
    "delta",
    "Delta Lake",
    "io.delta.sql.DeltaSparkSessionExtension",
    "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    {
        SparkLine("3.5", "2.12"): "io.delta:delta-spark_2.12:3.3.3",
        SparkLine("4.0", "2.13"): "io.delta:delta-spark_4.0_2.13:4.4.0",
        SparkLine("4.1", "2.13"): "io.delta:delta-spark_4.1_2.13:4.4.0",
        SparkLine("4.2", "2.13"): "io.delta:delta-spark_4.2_2.13:4.4.0",
    },
    re.compile(r"delta-spark(_(?P<spark>\d+\.\d+))?_(?P<scala>\d+\.\d+)\b"),
)
FORMATS = {each.name: each for each in (DELTA,)}


@dataclass(frozen=True)
class Start:
    """The confs that Spark starts with; in sentences, which releases it fetches and which formats are left out."""

    conf: Mapping[str, str]
    fetched: Sequence[str] = ()
    left_out: Sequence[str] = ()


def with_formats(
    conf: Mapping[str, str], site: Mapping[str, str], names: Iterable[str], line: SparkLine, home: Path
) -> Start:
    """Adds what the formats need to the confs that Spark starts with.

    `site` is what spark-defaults.conf says. Nothing is fetched where the user names the jars or has set the format
    up, or where Spark's home has them. A
    format is left out where it has no release for this Spark, the user's jar of it is for another one, or the session
    catalog is another project's: that the project names it does not mean that this run has a model in it.
    """
    start = Start(conf)
    for name in sorted(names):
        try:
            start = _with(start, site, FORMATS[name], line, home)
        except _Unusable as fault:
            sentence = f"{fault} Until then, models with file_format {name} fail."
            start = replace(start, left_out=[*start.left_out, sentence])
    return start


class _Unusable(Exception):
    """Why a format is left out, and the remedy."""


def _with(
    start: Start, site: Mapping[str, str], table_format: TableFormat, line: SparkLine, home: Path
) -> Start:
    confs = {**site, **start.conf}
    extensions, jars, packages = (
        listed(confs.get(key, "")) for key in (EXTENSIONS_KEY, JARS_KEY, PACKAGES_KEY)
    )
    catalog = confs.get(SESSION_CATALOG_KEY)
    if catalog not in (None, table_format.catalog):
        raise _Unusable(
            f"{SESSION_CATALOG_KEY} is {catalog}, and file_format {table_format.name} needs {table_format.catalog} "
            f"there. Leave {SESSION_CATALOG_KEY} out of server_side_parameters and of spark-defaults.conf."
        )
    if catalog is not None and table_format.extension in extensions:
        return start  # who sets both brings the jars
    added = {
        EXTENSIONS_KEY: ",".join(dict.fromkeys([*extensions, table_format.extension])),
        SESSION_CATALOG_KEY: table_format.catalog,
    }
    fetched = []
    if not _is_there(
        table_format, [*jars, *(jar.name for jar in (home / "jars").glob("*.jar")), *packages], line
    ):
        coordinates = _release(table_format, line)
        added[PACKAGES_KEY] = ",".join([*packages, coordinates])
        fetched = [f"{table_format.title} comes with {coordinates}, which Spark fetches once."]
    return replace(start, conf={**start.conf, **added}, fetched=[*start.fetched, *fetched])


def _is_there(table_format: TableFormat, names: Iterable[str], line: SparkLine) -> bool:
    for name in names:
        jar = table_format.jar.search(name)
        if jar is None:
            continue
        spark = jar.groupdict().get("spark") or line.spark
        if (spark, jar["scala"]) != (line.spark, line.scala):
            raise _Unusable(
                f"{name} is for {SparkLine(spark, jar['scala'])}, and {line} is installed. "
                f"Use {_release(table_format, line)}, or leave it out of {JARS_KEY} and {PACKAGES_KEY}: dbt adds the "
                "release that fits."
            )
        return True
    return False


def _release(table_format: TableFormat, line: SparkLine) -> str:
    if line not in table_format.releases:
        newest = max(table_format.releases, key=lambda line: line.age)
        raise _Unusable(
            f"file_format {table_format.name} needs {table_format.title}, which has no release for {line}; "
            f"it has releases for {', '.join(map(str, table_format.releases))}. "
            f"Use such a Spark: `pip install 'pyspark=={newest.spark}.*'`."
        )
    return table_format.releases[line]
