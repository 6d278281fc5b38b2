"""Gives Spark, before it starts, what it needs for a format of tables that it does not have itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dbt.adapters.adaptive_spark.spark.class_path import CLASS_PATH_KEY
from dbt.adapters.adaptive_spark.spark.fetched_jars import fetched_jars, ivy_folder
from dbt.adapters.adaptive_spark.spark.installation import SparkLine
from dbt.adapters.adaptive_spark.spark.session_conf import (
    EXTENSIONS_KEY,
    JARS_KEY,
    METASTORE_SERVERS,
    SESSION_CATALOG_KEY,
    TABLE_LIST_KEY,
    listed,
)

PACKAGES_KEY = "spark.jars.packages"
_CATALOG = re.compile(r"spark\.sql\.catalog\.[^.]+")
CATALOG_KIND_KEY = f"{SESSION_CATALOG_KEY}.type"
MASTER_KEY = "spark.master"
_CACHE = "cache-enabled"
# `local` has one thread
_LOCAL = re.compile(r"local(\[(?P<threads>\d+|\*)(,.*)?\])?")


@dataclass(frozen=True)
class TableFormat:
    """A format as models name it, its extension and catalog, and its releases: Maven's coordinates by line of Spark.

    `catalog` is the class of the session catalog, and `others` the classes of further ones, each with the confs that it
    needs below its own. `jar` is the pattern of the jar's name, in which a group `scala` tells the Scala that it is
    for, and `spark` the line, where the name has it; of names without, `lines` has the line by how the version begins,
    a group `version`. `confs` are what the session catalog needs besides, `embedded`
    what it needs where the metastore is in Spark's own process. `unlisted` are kinds of session catalog of which
    Spark lists other tables. `log_tasks` is the conf of how many tasks read a table's log.
    """

    name: str
    title: str
    extension: str
    catalog: str
    releases: Mapping[SparkLine, str]
    jar: re.Pattern[str]
    confs: Mapping[str, str] = field(default_factory=dict)
    embedded: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unlisted: frozenset[str] = frozenset()
    log_tasks: str | None = None
    lines: Mapping[str, str] = field(default_factory=dict)

    @property
    def uncached(self) -> dict[str, str]:
        """The session catalog's confs by which its sessions see each other's writes."""
        return {key: value for key, value in self.confs.items() if key.endswith(_CACHE)}

    def reading_logs(self, threads: int | None) -> dict[str, str]:
        """Confs for a Spark in one process: a task for each thread, where Delta Lake has 50 for whatever cluster."""
        few = self.log_tasks is not None and threads is not None and threads < _TASKS_OF_DELTA
        return {str(self.log_tasks): str(threads)} if few else {}


# Each of dbt's threads has a session, and each session its own catalogs. One that keeps tables it has read would not
# see for 30 s what another thread writes.
_UNCACHED = {_CACHE: "false"}
# What Delta Lake has by default. With two threads, small models took 11.9 s so, and 5.3 s with two tasks
# (benchmarks/delta_log.py).
_TASKS_OF_DELTA = 50
DELTA = TableFormat(
    "delta",
    "Delta Lake",
    "io.delta.sql.DeltaSparkSessionExtension",
    "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    {
        SparkLine("3.5", "2.12"): "io.delta:delta-spark_2.12:3.3.3",
        SparkLine("3.5", "2.13"): "io.delta:delta-spark_2.13:3.3.3",
        SparkLine("4.0", "2.13"): "io.delta:delta-spark_4.0_2.13:4.4.0",
        SparkLine("4.1", "2.13"): "io.delta:delta-spark_4.1_2.13:4.4.0",
        SparkLine("4.2", "2.13"): "io.delta:delta-spark_4.2_2.13:4.4.0",
    },
    re.compile(r"delta-spark(_(?P<spark>\d+\.\d+))?_(?P<scala>\d+\.\d+)\b([-:](?P<version>\d[\w.]*))?"),
    log_tasks="spark.databricks.delta.snapshotPartitions",
    lines={"3.": "3.5", "4.0.": "4.0"},
)
ICEBERG = TableFormat(
    "iceberg",
    "Apache Iceberg",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "org.apache.iceberg.spark.SparkSessionCatalog",
    {
        SparkLine("3.5", "2.12"): "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0",
        SparkLine("3.5", "2.13"): "org.apache.iceberg:iceberg-spark-runtime-3.5_2.13:1.11.0",
        SparkLine("4.0", "2.13"): "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
        SparkLine("4.1", "2.13"): "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
    },
    re.compile(r"iceberg-spark-runtime-(?P<spark>\d+\.\d+)_(?P<scala>\d+\.\d+)\b"),
    # A Hadoop catalog's tables are in no list of the session catalog's, and cannot be renamed.
    {CATALOG_KIND_KEY: "hive", **{f"{SESSION_CATALOG_KEY}.{key}": value for key, value in _UNCACHED.items()}},
    # Iceberg would lock a table by Hive's transactions, for which Spark has neither classes nor tables. Spark 4's Hive
    # compares the table's last version when it writes the next one (HIVE-26882). By default it refuses a table that is
    # replaced where a column gets another type in its place.
    {
        "spark.hadoop.iceberg.engine.hive.lock-enabled": "false",
        "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes": "false",
    },
    {"org.apache.iceberg.spark.SparkCatalog": _UNCACHED},
    # Its lists are those of the metastore. With Glue, that may be the same.
    frozenset({"hadoop", "jdbc", "nessie", "rest"}),
)
FORMATS = {each.name: each for each in (DELTA, ICEBERG)}


@dataclass(frozen=True)
class Start:
    """The confs that Spark starts with, and the formats that they bring; in sentences, which releases these are and
    which formats are left out. `fetching` is a release that Spark has to fetch by itself."""

    conf: Mapping[str, str]
    brought: Sequence[str] = ()
    left_out: Sequence[str] = ()
    formats: Sequence[str] = ()
    fetching: str | None = None


@dataclass(frozen=True)
class Machine:
    """The Spark of this machine and where it is; `site` is what spark-defaults.conf says. `may_have_hive_site` is true
    where a hive-site.xml may name a metastore.
    """

    line: SparkLine
    home: Path
    site: Mapping[str, str] = field(default_factory=dict)
    may_have_hive_site: bool = False

    def keeps_metastore(self, confs: Mapping[str, str]) -> bool:
        """True if the metastore is in Spark's own process, and not a server."""
        return not self.may_have_hive_site and not any(key.endswith(METASTORE_SERVERS) for key in confs)

    def threads(self, confs: Mapping[str, str]) -> int | None:
        """How many tasks run at a time where Spark is one process, else None."""
        local = _LOCAL.fullmatch(confs.get(MASTER_KEY, "local[*]"))
        if local is None:
            return None
        said = local["threads"] or "1"
        return (os.cpu_count() or 1) if said == "*" else int(said)


def with_formats(conf: Mapping[str, str], names: Iterable[str], machine: Machine) -> Start:
    """Adds what the formats need to the confs that Spark starts with: those of `names`, which models have, and those of
    catalogs that are configured. Of two formats that need the session catalog, the first of `names` gets it, and one
    that has a catalog of its own comes after one that has none.

    Nothing is fetched where the user names the jars or has set the format up, or where Spark's home has them. A
    format is left out where it has no release for this Spark, the user's jar of it is for another one, or the session
    catalog is another project's: that the project names it does not mean that this run has a model in it.
    """
    start = Start(conf)
    wanted = dict.fromkeys(names)
    confs = {**machine.site, **conf}
    own = {name: _other_catalogs(each, confs) for name, each in FORMATS.items()}
    for name in sorted(dict.fromkeys([*wanted, *FORMATS]), key=lambda name: bool(own[name])):
        table_format, catalogs = FORMATS[name], own[name]
        if name not in wanted and not catalogs:
            continue
        try:
            start = _with(start, table_format, machine, catalogs, is_named=name in wanted)
        except _Unusable as fault:
            sentence = f"{fault} Until then, models with file_format {name} fail."
            start = replace(start, left_out=[*start.left_out, sentence])
    return start


class _Unusable(Exception):
    """Why a format is left out, and the remedy."""


def _other_catalogs(table_format: TableFormat, confs: Mapping[str, str]) -> dict[str, Mapping[str, str]]:
    """The format's catalogs that are configured besides the session's, by key, each with what its class needs."""
    return {
        key: table_format.others[value]
        for key, value in confs.items()
        if value in table_format.others and _CATALOG.fullmatch(key) and key != SESSION_CATALOG_KEY
    }


def _with(
    start: Start,
    table_format: TableFormat,
    machine: Machine,
    catalogs: Mapping[str, Mapping[str, str]],
    is_named: bool,
) -> Start:
    """`catalogs` are the format's own besides the session's. The session catalog becomes the format's where models name
    the format, unless it is another's and they have these.
    """
    confs = {**machine.site, **start.conf}
    extensions, jars, packages = (
        listed(confs.get(key, "")) for key in (EXTENSIONS_KEY, JARS_KEY, PACKAGES_KEY)
    )
    catalog = confs.get(SESSION_CATALOG_KEY)
    kind = {**table_format.confs, **confs}.get(CATALOG_KIND_KEY)
    lacks_list = kind == "hive" and confs.get(TABLE_LIST_KEY, "hive") != "hive"
    takes_session = is_named and catalog in (None, table_format.catalog) and not (lacks_list and catalogs)
    if not takes_session and not catalogs:
        raise _Unusable(_other_catalog(start, str(catalog), table_format))
    wanted = {
        f"{key}.{option}": value for key, options in catalogs.items() for option, value in options.items()
    }
    sets_both = (catalog is not None or not takes_session) and table_format.extension in extensions
    if takes_session and kind in table_format.unlisted:
        fault = (
            f"{CATALOG_KIND_KEY} is {kind}, and of the session catalog Spark lists only the metastore's tables: dbt does "
            "not find those that it has made, and makes them anew in each run, snapshots too. Configure the catalog "
            "under a name of its own, such as spark.sql.catalog.lake, and give its models database: lake."
        )
        if not sets_both:
            raise _Unusable(fault)
        start = replace(start, left_out=[*start.left_out, fault])
    if sets_both:  # and brings the jars
        if catalog == table_format.catalog:
            wanted |= table_format.uncached
        return replace(start, conf={**{key: wanted[key] for key in wanted if key not in confs}, **start.conf})
    if takes_session and lacks_list:
        raise _Unusable(
            f"{TABLE_LIST_KEY} is {confs[TABLE_LIST_KEY]}, and {table_format.title} keeps its list of tables in Hive's "
            f"metastore. Leave {TABLE_LIST_KEY} out, or make it hive."
        )
    wanted |= table_format.reading_logs(machine.threads(confs))
    if takes_session:
        wanted |= {SESSION_CATALOG_KEY: table_format.catalog, **table_format.confs}
        wanted |= table_format.embedded if machine.keeps_metastore(confs) else {}
    added = {
        EXTENSIONS_KEY: ",".join(dict.fromkeys([*extensions, table_format.extension])),
        **{key: value for key, value in wanted.items() if key not in confs},
    }
    sparks_own = (jar.name for jar in (machine.home / "jars").glob("*.jar"))
    formats = [*start.formats, table_format.name]
    class_path = confs.get(CLASS_PATH_KEY, "").split(os.pathsep)
    if _is_there(table_format, [*jars, *sparks_own, *packages, *class_path], machine.line):
        return replace(start, conf={**start.conf, **added}, formats=formats)
    release = _release(table_format, machine.line)
    sentence = f"{table_format.title} comes with {release}"
    fetched = [] if packages else fetched_jars(ivy_folder(confs, machine.line), release)
    if fetched:
        added[JARS_KEY] = ",".join([*jars, *fetched])
    else:
        added[PACKAGES_KEY] = ",".join([*packages, release])
    return replace(
        start,
        conf={**start.conf, **added},
        formats=formats,
        brought=[*start.brought, f"{sentence}." if fetched else f"{sentence}, which Spark fetches once."],
        fetching=None if fetched or packages else release,
    )


def _other_catalog(start: Start, catalog: str | None, table_format: TableFormat) -> str:
    """Why the session catalog cannot be the format's, and the remedy."""
    if start.formats:
        other = start.formats[0]
        return (
            f"The project has models with file_format {other} and with file_format {table_format.name}, and Spark has "
            f"one session catalog, which is {FORMATS[other].title}'s now. Build the two with profiles of their own, "
            f"or keep one of the formats."
        )
    return (
        f"{SESSION_CATALOG_KEY} is {catalog}, and file_format {table_format.name} needs {table_format.catalog} "
        f"there. Leave {SESSION_CATALOG_KEY} out of server_side_parameters and of spark-defaults.conf."
    )


def _is_there(table_format: TableFormat, names: Iterable[str], line: SparkLine) -> bool:
    for name in names:
        jar = table_format.jar.search(name)
        if jar is None:
            continue
        spark = jar.groupdict().get("spark") or _line_of(table_format, jar) or line.spark
        if (spark, jar["scala"]) != (line.spark, line.scala):
            raise _Unusable(
                f"{name} is for {SparkLine(spark, jar['scala'])}, and {line} is installed. "
                f"Use {_release(table_format, line)}, or leave it out of {JARS_KEY} and {PACKAGES_KEY}: dbt adds the "
                "release that fits."
            )
        return True
    return False


def _line_of(table_format: TableFormat, jar: re.Match[str]) -> str | None:
    """The line of Spark that a jar is for, whose name does not say it; None where its version does not, either."""
    version = jar.groupdict().get("version") or ""
    return next((line for begin, line in table_format.lines.items() if version.startswith(begin)), None)


def _release(table_format: TableFormat, line: SparkLine) -> str:
    if line not in table_format.releases:
        newest = max(table_format.releases, key=lambda line: line.age)
        raise _Unusable(
            f"file_format {table_format.name} needs {table_format.title}, which has no release for {line}; "
            f"it has releases for {', '.join(map(str, table_format.releases))}. "
            f"Use such a Spark: `pip install 'pyspark=={newest.spark}.*'`."
        )
    return table_format.releases[line]
