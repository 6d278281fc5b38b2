"""Catalogs of Iceberg's that are kept by something else than Spark, on this machine: a database, Hive's metastore as a
server, and Iceberg's own REST server.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from listening import free_port, wait_for

from build_support.maven import MODULE, fetch
from dbt.adapters.adaptive_spark.spark.installation import java_program, spark_home

_LAKE = "spark.sql.catalog.lake"
_SQLITE = "org.xerial:sqlite-jdbc:3.50.3.0"
# The last release whose classes for tests are on Maven Central.
_ICEBERG = "org.apache.iceberg:iceberg-core:1.11.0"
_REST = (_ICEBERG, f"{_ICEBERG}:tests", "org.eclipse.jetty.ee10:jetty-ee10-servlet:12.0.16", _SQLITE)


def _jars(name: str, *releases: str) -> list[str]:
    folder = MODULE / "target" / f"catalogs-{name}"
    fetch(releases, folder)
    return [str(jar) for jar in sorted(folder.glob("*.jar"))]


@contextmanager
def database(folder: Path) -> Iterator[dict[str, str]]:
    """Confs of the catalog `lake`, whose tables are listed in a database."""
    yield {
        f"{_LAKE}.type": "jdbc",
        f"{_LAKE}.uri": f"jdbc:sqlite:{folder}/catalog.db",
        f"{_LAKE}.warehouse": str(folder),
        f"{_LAKE}.jdbc.schema-version": "V1",  # which has views
        "spark.jars": ",".join(_jars("jdbc", _SQLITE)),
    }


@contextmanager
def rest(folder: Path) -> Iterator[dict[str, str]]:
    """Confs of the catalog `lake`, which Iceberg's server has until the context ends."""
    port = free_port()
    program = [str(Path(__file__).with_name("RestCatalog.java")), str(port), str(folder)]
    with _running(folder, port, _jars("rest", *_REST), program):
        yield {f"{_LAKE}.type": "rest", f"{_LAKE}.uri": f"http://127.0.0.1:{port}"}


@contextmanager
def metastore(folder: Path) -> Iterator[dict[str, str]]:
    """Confs of the catalog `lake`, which a metastore of Hive's has until the context ends."""
    port = free_port()
    options = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/metastore;create=true",
        "derby.system.home": str(folder),
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        "hive.async.log.enabled": "false",  # Spark has no classes for it
        "hive.metastore.warehouse.dir": str(folder),
    }
    opened = [f"--add-opens=java.base/{each}=ALL-UNNAMED" for each in ("java.lang", "java.util", "java.net")]
    program = ["org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", str(port)]
    settings = [*opened, *(f"-D{key}={value}" for key, value in options.items())]
    with _running(folder, port, [], program, settings):
        yield {
            f"{_LAKE}.type": "hive",
            f"{_LAKE}.uri": f"thrift://127.0.0.1:{port}",
            f"{_LAKE}.warehouse": str(folder),
            # A metastore on Derby has no tables for locks.
            f"{_LAKE}.hadoop.iceberg.engine.hive.lock-enabled": "false",
        }


@contextmanager
def _running(
    folder: Path, port: int, jars: Sequence[str], program: Sequence[str], options: Sequence[str] = ()
) -> Iterator[None]:
    """A Java program on `port`, with `jars` before Spark's own on its class path."""
    java = java_program()
    assert java is not None
    path = os.pathsep.join([*jars, str(spark_home() / "jars" / "*")])
    log = folder / "server.log"
    with log.open("wb") as out:
        command = [java, "-Xmx256m", *options, "-cp", path, *program]
        server = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
        try:
            wait_for(server, port, log)
            yield
        finally:
            server.terminate()
            server.wait(60)
