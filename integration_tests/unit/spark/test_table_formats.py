"""Confs that a format of tables adds to those that Spark starts with, and sentences where it is left out."""

import json

import pytest

from dbt.adapters.adaptive_spark.conf import named_formats
from dbt.adapters.adaptive_spark.spark.fetched_jars import fetched_jars, ivy_folder, remember_jars
from dbt.adapters.adaptive_spark.spark.installation import SparkLine
from dbt.adapters.adaptive_spark.spark.session_conf import EXTENSION, session_conf
from dbt.adapters.adaptive_spark.spark.table_formats import (
    DELTA,
    FORMATS,
    ICEBERG,
    Machine,
    Start,
    with_formats,
)

LINE = SparkLine("4.1", "2.13")
LOG_TASKS = "spark.databricks.delta.snapshotPartitions"


def started(names, home, line=LINE, site=None, may_have_hive_site=False, **profile):
    site = {"spark.jars.ivy": str(home / "ivy"), **(site or {})}
    conf = {key.replace("_", "."): value for key, value in profile.items()}
    return with_formats(
        session_conf(conf, site, "/ours.jar"), names, Machine(line, home, site, may_have_hive_site)
    )


def with_delta(home, line=LINE, site=None, **profile):
    return started(["delta"], home, line, site, **profile)


def left_out(start, conf):
    """The sentence over Delta Lake, which left the confs as they were."""
    (sentence,) = start.left_out
    assert start.conf == session_conf(conf, {}, "/ours.jar") and not start.brought
    assert sentence.endswith(" Until then, models with file_format delta fail.")
    return sentence


@pytest.mark.parametrize("line", DELTA.releases)
def test_delta_comes_with_its_release_for_the_line(tmp_path, line):
    start = with_delta(tmp_path, line)
    assert start.conf["spark.jars.packages"] == DELTA.releases[line]
    assert DELTA.jar.search(DELTA.releases[line]).groupdict()["scala"] == line.scala
    assert start.conf["spark.sql.extensions"] == f"{EXTENSION},{DELTA.extension}"
    assert start.conf["spark.sql.catalog.spark_catalog"] == DELTA.catalog
    assert start.brought == [f"Delta Lake comes with {DELTA.releases[line]}, which Spark fetches once."]
    assert not start.left_out


def test_a_spark_without_a_format_starts_as_it_did(tmp_path):
    conf = session_conf({}, {}, "/ours.jar")
    assert with_formats(conf, [], Machine(LINE, tmp_path)) == Start(conf)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.jars", "/lib/delta-spark_4.1_2.13-4.4.0.jar"),
        ("spark.jars.packages", DELTA.releases[LINE]),
    ],
)
def test_a_jar_of_the_users_is_taken_and_nothing_is_fetched(tmp_path, key, value):
    start = with_delta(tmp_path, **{key: value})
    assert not start.brought and not start.left_out
    assert value in start.conf[key]
    assert start.conf["spark.sql.extensions"].endswith(DELTA.extension)


@pytest.mark.parametrize(
    ("master", "tasks"),
    [
        ("local[4]", "4"),
        ("local[3, 2]", "3"),
        ("local", "1"),
        ("local[*]", "8"),
        (None, "8"),
        ("local[64]", None),
        ("local-cluster[2,1,1024]", None),
        ("spark://host:7077", None),
        ("yarn", None),
    ],
)
def test_as_many_tasks_read_a_log_as_one_process_runs_at_a_time(tmp_path, monkeypatch, master, tasks):
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    said = {} if master is None else {"spark.master": master}
    assert with_delta(tmp_path, **said).conf.get(LOG_TASKS) == tasks
    assert with_delta(tmp_path, site=said).conf.get(LOG_TASKS) == tasks
    theirs = with_delta(tmp_path, **said, **{LOG_TASKS: "20"})
    assert theirs.conf[LOG_TASKS] == "20"
    assert LOG_TASKS not in started(["iceberg"], tmp_path, **said).conf


def test_a_jar_in_sparks_home_is_taken(tmp_path):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "delta-spark_2.13-4.4.0.jar").touch()
    start = with_delta(tmp_path)
    assert not start.brought and "spark.jars.packages" not in start.conf


def test_packages_and_extensions_of_the_site_stay(tmp_path):
    site = {"spark.jars.packages": "org.example:theirs:1", "spark.sql.extensions": "org.example.Theirs"}
    conf = with_delta(tmp_path, site=site).conf
    assert conf["spark.jars.packages"] == f"org.example:theirs:1,{DELTA.releases[LINE]}"
    assert conf["spark.sql.extensions"] == f"{EXTENSION},org.example.Theirs,{DELTA.extension}"


def test_who_has_set_extension_and_catalog_brings_the_jars_by_whatever_name(tmp_path):
    site = {"spark.sql.catalog.spark_catalog": DELTA.catalog}
    start = with_delta(tmp_path, spark_sql_extensions=DELTA.extension, site=site)
    own = {"spark.sql.extensions": DELTA.extension}
    assert start == Start(session_conf(own, site, "/ours.jar"))


def test_a_line_that_has_no_release_is_told_of_with_those_that_have(tmp_path):
    sentence = left_out(with_delta(tmp_path, SparkLine("4.3", "2.13")), {})
    assert sentence.startswith(
        "file_format delta needs Delta Lake, which has no release for Spark 4.3 (Scala 2.13); it has releases for "
        "Spark 3.5 (Scala 2.12), Spark 3.5 (Scala 2.13), Spark 4.0 (Scala 2.13), "
    )
    assert "`pip install 'pyspark==4.2.*'`" in sentence


@pytest.mark.parametrize(
    "jar",
    [
        "/lib/delta-spark_4.0_2.13-4.4.0.jar",
        "/lib/delta-spark_2.12-3.3.3.jar",
        "/lib/delta-spark_2.13-3.3.3.jar",
        "/lib/delta-spark_2.13-4.0.1.jar",
    ],
)
def test_a_jar_for_another_spark_or_scala_is_told_of(tmp_path, jar):
    sentence = left_out(with_delta(tmp_path, spark_jars=jar), {"spark.jars": jar})
    assert (
        sentence.startswith(f"{jar} is for Spark ") and "and Spark 4.1 (Scala 2.13) is installed." in sentence
    )
    assert DELTA.releases[LINE] in sentence


def test_a_session_catalog_of_another_project_stays(tmp_path):
    theirs = {"spark.sql.catalog.spark_catalog": "org.apache.iceberg.spark.SparkSessionCatalog"}
    start = with_formats(session_conf(theirs, {}, "/ours.jar"), ["delta"], Machine(LINE, tmp_path))
    sentence = left_out(start, theirs)
    assert "is org.apache.iceberg.spark.SparkSessionCatalog, and file_format delta needs" in sentence


# as Ivy names it
RELEASED = "io.delta_delta-spark_4.1_2.13-4.4.0.jar"


def test_jars_that_spark_has_fetched_are_named_and_nothing_is_resolved(tmp_path):
    ivy = {"spark.jars.ivy": str(tmp_path / "ivy")}
    jars = [tmp_path / "ivy" / "jars" / name for name in ("a b.jar", RELEASED)]
    first = with_delta(tmp_path, site=ivy)
    assert first.fetching == DELTA.releases[LINE]
    jars[0].parent.mkdir(parents=True)
    for jar in jars:
        jar.touch()
    uris = [jar.as_uri() for jar in jars]
    remember_jars(tmp_path / "ivy", first.fetching, [*uris, "file:///ours.jar", "hdfs://h/d.jar"])
    second = with_delta(tmp_path, site=ivy)
    assert second.conf["spark.jars"] == ",".join(["/ours.jar", *map(str, jars)])
    assert second.fetching is None and "spark.jars.packages" not in second.conf
    assert second.brought == [f"Delta Lake comes with {DELTA.releases[LINE]}."]
    jars[1].unlink()
    assert with_delta(tmp_path, site=ivy) == first


def test_jars_of_something_else_that_spark_was_told_to_fetch_are_not_taken_for_the_releases(tmp_path):
    other = tmp_path / "jars" / "org.postgresql_postgresql-42.7.4.jar"
    other.parent.mkdir()
    other.touch()
    remember_jars(tmp_path, DELTA.releases[LINE], [other.as_uri()])
    assert not (tmp_path / "adaptive-spark").exists()
    note = tmp_path / "adaptive-spark" / f"{DELTA.releases[LINE].replace(':', '_')}.json"
    note.parent.mkdir()
    note.write_text(json.dumps([str(other)]))
    assert fetched_jars(tmp_path, DELTA.releases[LINE]) == []


@pytest.mark.parametrize("text", ["", "{", "{}", "[1]", '["/gone.jar"]'])
def test_a_note_that_is_no_list_of_jars_is_as_none(tmp_path, text):
    note = tmp_path / "adaptive-spark" / "a_b_1.json"
    note.parent.mkdir()
    note.write_text(text)
    assert fetched_jars(tmp_path, "a:b:1") == []


def test_spark_keeps_what_it_fetches_where_its_line_does(tmp_path):
    assert ivy_folder({}, SparkLine("3.5", "2.12")).name == ".ivy2"
    assert ivy_folder({}, LINE).name == ".ivy2.5.2"
    assert ivy_folder({"spark.jars.ivy": str(tmp_path)}, LINE) == tmp_path


TYPE = "spark.sql.catalog.spark_catalog.type"
LOCKS = "spark.hadoop.iceberg.engine.hive.lock-enabled"
TYPES = "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes"


@pytest.mark.parametrize("line", ICEBERG.releases)
def test_iceberg_keeps_its_tables_in_the_sessions_metastore(tmp_path, line):
    start = started(["iceberg"], tmp_path, line)
    assert start.conf["spark.jars.packages"] == ICEBERG.releases[line]
    named = ICEBERG.jar.search(ICEBERG.releases[line]).groupdict()
    assert (named["spark"], named["scala"]) == (line.spark, line.scala)
    assert start.conf["spark.sql.catalog.spark_catalog"] == ICEBERG.catalog
    assert (start.conf[TYPE], start.conf[LOCKS], start.conf[TYPES]) == ("hive", "false", "false")
    assert start.formats == ["iceberg"] and not start.left_out


@pytest.mark.parametrize(
    "metastore", [{"may_have_hive_site": True}, {"spark_hadoop_hive_metastore_uris": "thrift://h:9083"}]
)
def test_a_metastore_on_a_server_keeps_its_locks(tmp_path, metastore):
    start = started(["iceberg"], tmp_path, **metastore)
    assert start.conf[TYPE] == "hive" and not {LOCKS, TYPES} & start.conf.keys()


def test_a_kind_of_catalog_that_the_user_chose_stays(tmp_path):
    start = started(["iceberg"], tmp_path, site={TYPE: "glue"})
    assert TYPE not in start.conf and start.formats == ["iceberg"] and not start.left_out


@pytest.mark.parametrize("kind", ["hadoop", "jdbc", "nessie", "rest"])
def test_a_session_catalog_whose_tables_spark_does_not_list_is_told_of(tmp_path, kind):
    start = started(["iceberg"], tmp_path, site={TYPE: kind})
    (sentence,) = start.left_out
    assert sentence.startswith(f"{TYPE} is {kind}, and of the session catalog Spark lists only")
    assert sentence.endswith("Until then, models with file_format iceberg fail.") and not start.formats
    own = {
        "spark.sql.extensions": ICEBERG.extension,
        "spark.sql.catalog.spark_catalog": ICEBERG.catalog,
        TYPE: kind,
    }
    (sentence,) = started(["iceberg"], tmp_path, site=own).left_out
    assert sentence.endswith("give its models database: lake.")
    assert not with_delta(tmp_path, site={TYPE: kind}).left_out


def test_iceberg_without_a_metastore_is_told_of(tmp_path):
    start = started(["iceberg"], tmp_path, spark_sql_catalogImplementation="in-memory")
    (sentence,) = start.left_out
    assert sentence.startswith("spark.sql.catalogImplementation is in-memory, and Apache Iceberg keeps")
    assert "Leave spark.sql.catalogImplementation out, or make it hive." in sentence


def test_a_catalog_that_is_not_hives_needs_no_metastore(tmp_path):
    start = started(["iceberg"], tmp_path, site={TYPE: "glue"}, spark_sql_catalogImplementation="in-memory")
    assert start.formats == ["iceberg"] and not start.left_out


def test_each_format_is_looked_for_in_a_project():
    assert sorted(FORMATS) == sorted(named_formats.FORMATS)


def test_of_two_formats_the_session_catalog_is_the_firsts(tmp_path):
    start = started(["iceberg", "delta"], tmp_path)
    assert start.formats == ["iceberg"] and start.conf["spark.sql.catalog.spark_catalog"] == ICEBERG.catalog
    assert [each.rpartition("models with ")[2] for each in start.left_out] == ["file_format delta fail."]
    start = started(["delta", "iceberg"], tmp_path)
    assert start.formats == ["delta"] and start.conf["spark.sql.catalog.spark_catalog"] == DELTA.catalog
    (sentence,) = start.left_out
    assert sentence.startswith(
        "The project has models with file_format delta and with file_format iceberg, and Spark has one session catalog, "
        "which is Delta Lake's now."
    )
    assert sentence.endswith("Until then, models with file_format iceberg fail.")


CATALOG = "org.apache.iceberg.spark.SparkCatalog"


def test_a_catalog_of_a_format_that_is_configured_brings_its_release_and_no_session_catalog(tmp_path):
    start = started([], tmp_path, spark_sql_catalog_lake=CATALOG, spark_sql_catalog_lake_type="hadoop")
    assert start.conf["spark.jars.packages"] == ICEBERG.releases[LINE]
    assert start.conf["spark.sql.extensions"] == f"{EXTENSION},{ICEBERG.extension}"
    assert start.formats == ["iceberg"] and not start.left_out
    assert "spark.sql.catalog.spark_catalog" not in start.conf and TYPE not in start.conf


def test_catalogs_of_iceberg_keep_no_tables_that_another_thread_writes(tmp_path):
    start = started(["iceberg"], tmp_path, spark_sql_catalog_lake=CATALOG)
    for name in ("lake", "spark_catalog"):
        assert start.conf[f"spark.sql.catalog.{name}.cache-enabled"] == "false"
    own = {"spark.sql.extensions": ICEBERG.extension, "spark.sql.catalog.lake": CATALOG}
    start = with_formats(session_conf(own, {}, "/ours.jar"), [], Machine(LINE, tmp_path))
    assert start.conf["spark.sql.catalog.lake.cache-enabled"] == "false" and not start.formats
    own["spark.sql.catalog.spark_catalog"] = ICEBERG.catalog
    start = with_formats(session_conf(own, {}, "/ours.jar"), ["iceberg"], Machine(LINE, tmp_path))
    assert start.conf["spark.sql.catalog.spark_catalog.cache-enabled"] == "false" and not start.formats
    own["spark.sql.catalog.spark_catalog.cache-enabled"] = "true"
    start = with_formats(session_conf(own, {}, "/ours.jar"), ["iceberg"], Machine(LINE, tmp_path))
    assert start.conf["spark.sql.catalog.spark_catalog.cache-enabled"] == "true"
    start = started(
        [], tmp_path, site={"spark.sql.catalog.lake.cache-enabled": "true", "spark.sql.catalog.lake": CATALOG}
    )
    assert "spark.sql.catalog.lake.cache-enabled" not in start.conf


def test_two_formats_go_together_where_one_has_a_catalog_of_its_own(tmp_path):
    start = started(["iceberg", "delta"], tmp_path, spark_sql_catalog_lake=CATALOG)
    assert start.formats == ["delta", "iceberg"] and not start.left_out
    assert start.conf["spark.sql.catalog.spark_catalog"] == DELTA.catalog
    assert start.conf["spark.sql.extensions"] == f"{EXTENSION},{DELTA.extension},{ICEBERG.extension}"


def test_a_catalog_of_a_formats_own_needs_no_metastore(tmp_path):
    memory = {"spark_sql_catalogImplementation": "in-memory", "spark_sql_catalog_lake": CATALOG}
    start = started(["iceberg"], tmp_path, **memory)
    assert start.formats == ["iceberg"] and not start.left_out
    assert "spark.sql.catalog.spark_catalog" not in start.conf


def test_a_catalog_on_a_line_without_a_release_is_told_of(tmp_path):
    (sentence,) = started([], tmp_path, SparkLine("4.3", "2.13"), spark_sql_catalog_lake=CATALOG).left_out
    assert "which has no release for Spark 4.3 (Scala 2.13)" in sentence
