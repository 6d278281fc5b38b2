"""A Thrift server in a process of its own, from the installed pyspark, on a free port of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyhive import hive

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.installation import find_jar, installed_line, spark_home
from dbt.adapters.adaptive_spark.spark.session_conf import EXTENSION

UP_WITHIN_S = 240
SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server that has our jar in spark.jars and nowhere else; it is stopped by its process."""
    folder, home, listening = tmp_path_factory.mktemp("server"), spark_home(), free_port()
    jar = find_jar(AdaptiveSparkCredentials(schema="default"), installed_line(home))
    confs = {
        "spark.sql.extensions": EXTENSION,
        "spark.jars": jar,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/metastore;create=true",
    }
    command = [str(home / "bin" / "spark-submit"), "--class", SERVER, "--master", "local[2]"]
    command += ["--driver-memory", "1g"]
    command += [part for key, value in confs.items() for part in ("--conf", f"{key}={value}")]
    hiveconfs = {
        "hive.server2.thrift.port": listening,
        "hive.server2.thrift.bind.host": "127.0.0.1",
        "hive.exec.scratchdir": folder / "scratch",
        "hive.exec.local.scratchdir": folder / "local",
    }
    command += ["spark-internal"]
    command += [part for key, value in hiveconfs.items() for part in ("--hiveconf", f"{key}={value}")]
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    log = folder / "server.log"
    with log.open("wb") as out:
        # spark-submit's shell hands its process over to Java
        server = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            wait_for(server, listening, log)
            yield listening
        finally:
            server.terminate()
            server.wait(60)


def wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()[-3000:]
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(1)
        else:
            return
    pytest.fail(f"The server is not up after {UP_WITHIN_S} s: {log.read_text()[-3000:]}")


@pytest.fixture(scope="session")
def first_session_has_ended(port: int) -> None:
    """With that one the server closes the class loader of spark.jars."""
    hive.connect(host="127.0.0.1", port=port, username="dbt", auth="NONE").close()
