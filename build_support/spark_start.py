"""An earlier Spark leaves two things for those that tests start.

Its classes: HotSpot maps them instead of reading 250 jars. A session with a Hive catalog and its first statement take
5.6 s in place of 9.0 s on two cores. Its metastore, empty again: Hive finds its tables instead of creating them, which
takes a quarter of the CPU time of such a start.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build_support.builds import installed
from build_support.maven import MODULE, spark_jars
from build_support.toolchain import run_java

# What most tests do: tables written and read, a filter, a join, an aggregate, a catalog on disk.
_PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").enableHiveSupport().getOrCreate()
spark.sql("create database shop").collect()
for name, kind in (("a", "parquet"), ("b", "orc"), ("c", "csv")):
    spark.sql(f"create table shop.{name} using {kind} as select id, id % 9 as k, cast(id as string) s from range(999)")
spark.sql("select count(*), max(a.s) from shop.a join shop.b on a.id = b.id where a.k < 5 and b.s like '%1'").collect()
spark.sql("create or replace view shop.v as select k, count(*) as n from shop.c group by k").collect()
spark.sql("analyze table shop.a compute statistics for all columns").collect()
spark.sql("show table extended in shop like '*'").collect()
spark.sql("describe extended shop.v").collect()
spark.sql("drop database shop cascade").collect()
"""


def archive() -> Path:
    """Where the classes are, made or not."""
    return MODULE / "target" / f"spark-{installed().pyspark}.jsa"


def put_metastore(folder: Path) -> None:
    """Puts the empty metastore at `folder`, where no other one is; nothing without an earlier Spark.

    It is for tests that leave the schema `default` alone, which in it has the earlier Spark's folder.
    """
    kept = _metastore()
    if kept.is_dir() and not folder.exists():
        shutil.copytree(kept, folder)


def _metastore() -> Path:
    return archive().with_suffix(".metastore")


def options() -> str:
    """The Java options of a Spark that uses the archive.

    A Spark with other jars, or without an archive, starts as if there were none.
    """
    return f"-XX:SharedArchiveFile={archive()} -Xlog:cds=off"


def main() -> None:
    """Makes both, unless they are there and of this Java and this Spark.

    Exits with its words where Spark does not run.
    """
    jars = spark_jars(installed())
    made_by = f"{run_java('-version')[1]}{jars} {jars.stat().st_mtime_ns}"
    file = archive()
    stamp = file.with_suffix(".txt")
    if file.is_file() and _metastore().is_dir() and stamp.is_file() and stamp.read_text() == made_by:
        return
    file.unlink(missing_ok=True)
    shutil.rmtree(_metastore(), ignore_errors=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": f"-XX:ArchiveClassesAtExit={file}",
    }
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", _PROGRAM]
        # Kept for a failure: HotSpot names each class that it leaves out.
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"Spark did not run, so there is no archive of its classes:\n{ran.stdout}{ran.stderr}")
        shutil.copytree(Path(folder, "metastore_db"), _metastore())
    stamp.write_text(made_by)


if __name__ == "__main__":
    main()
