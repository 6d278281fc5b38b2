"""Thrift servers in processes of their own, from the installed pyspark, on free ports of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from listening import free_port, wait_for

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.installation import find_jar, installed_line, spark_home
from dbt.adapters.adaptive_spark.spark.session_conf import EXTENSION

SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
# of the tables that tests of the shared server have
FILTER = "select count(*) from facts where id % 2 = 0 and id > 10 and s like '%7%'"
JOIN = "select count(*), sum(f.id) from facts f join (select id from dims where k = 3) d on f.id = d.id"


@dataclass(frozen=True)
class ThriftServer:
    """A server that listens on `port`; `process` is its Java."""

    port: int
    process: subprocess.Popen[bytes]


@contextmanager
def serving(folder: Path, more: Mapping[str, str] | None = None, **hiveconfs: Any) -> Iterator[ThriftServer]:
    """A server that has our jar in spark.jars and nowhere else; it is stopped by its process. `more` are confs of
    Spark's, and `hiveconfs` more of Hive's, with `_` for `.`.
    """
    home, listening = spark_home(), free_port()
    jar = find_jar(AdaptiveSparkCredentials(schema="default"), installed_line(home))
    confs = {
        "spark.sql.extensions": EXTENSION,
        "spark.jars": jar,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/metastore;create=true",
        **(more or {}),
    }
    command = [str(home / "bin" / "spark-submit"), "--class", SERVER, "--master", "local[2]"]
    command += ["--driver-memory", "1g"]
    command += [part for key, value in confs.items() for part in ("--conf", f"{key}={value}")]
    hive_confs = {
        "hive.server2.thrift.port": listening,
        "hive.server2.thrift.http.port": listening,
        "hive.server2.thrift.bind.host": "127.0.0.1",
        "hive.exec.scratchdir": folder / "scratch",
        "hive.exec.local.scratchdir": folder / "local",
        **{key.replace("_", "."): value for key, value in hiveconfs.items()},
    }
    command += ["spark-internal"]
    command += [part for key, value in hive_confs.items() for part in ("--hiveconf", f"{key}={value}")]
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    log = folder / "server.log"
    with log.open("wb") as out:
        # spark-submit's shell hands its process over to Java
        server = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            wait_for(server, listening, log)
            yield ThriftServer(listening, server)
        finally:
            server.terminate()
            server.wait(60)


@dataclass(frozen=True)
class Project:
    """A dbt project in a folder, whose profile is of a server."""

    folder: Path

    def start(self, *command: str) -> subprocess.Popen[str]:
        """A dbt command, its output to be read."""
        environment = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_PROFILES_DIR": str(self.folder)}
        return subprocess.Popen(
            [str(Path(sys.executable).parent / "dbt"), "--no-use-colors", *command],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *command: str) -> str:
        """The output of a command, which ends well."""
        running = self.start(*command)
        said, _ = running.communicate(timeout=600)
        assert running.returncode == 0, said
        return said

    def results(self) -> dict[str, Any]:
        """By the node's name."""
        text = (self.folder / "target" / "run_results.json").read_text()
        return {each["unique_id"].split(".")[2]: each for each in json.loads(text)["results"]}


def project(folder: Path, files: Mapping[str, str], **target: Any) -> Project:
    """A project of `files`, by their paths, with `target` in its profile."""
    keys = {"type": "adaptive_spark", "host": "127.0.0.1", "user": "dbt", "schema": "shop", "threads": 2}
    outputs = {"t": {**keys, **target}}
    (folder / "profiles.yml").write_text(yaml.safe_dump({"shop": {"target": "t", "outputs": outputs}}))
    named = {"name": "shop", "version": "1.0", "profile": "shop"}
    for path, text in {"dbt_project.yml": yaml.safe_dump(named), **files}.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    return Project(folder)
