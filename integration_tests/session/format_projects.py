"""Projects in Delta Lake or Iceberg, built by several commands of one process. Those of a format take turns in its
process, with its Spark and its schemas.
"""

import json
import shutil
from contextlib import ExitStack, contextmanager

import pytest
import yaml
from projects import OneProcess, write_project

from dbt.adapters.adaptive_spark.spark.installation import installed_line, spark_home
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS

# Small tables need few tasks, and so does Delta Lake for their logs. Queries run for less time than it takes to
# compile them.
CONFS = {
    "spark.sql.shuffle.partitions": 2,
    "spark.databricks.delta.snapshotPartitions": 1,
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def of_each_format():
    """The parameters of a fixture with a project for each format."""
    return sorted(FORMATS)


class Processes(ExitStack):
    """A process for each format, from its first project until the tests end; `make_folder` makes a folder of a name."""

    def __init__(self, make_folder):
        super().__init__()
        self._make_folder = make_folder
        self._running = {}

    @contextmanager
    def project(self, name, files, **profile):
        """dbt in a project whose tables are in the format `name`; `profile` are more keys of its profile."""
        line = installed_line(spark_home())
        if line not in FORMATS[name].releases:
            pytest.skip(f"{FORMATS[name].title} has no release for {line}.")
        if name not in self._running:
            self._running[name] = self.enter_context(OneProcess(self._make_folder(name)))
        shared = self._running[name]
        process = shared.of(self._make_folder(name))
        process.format = name
        _write(process, shared.folder, files, profile)
        try:
            yield process
            for schema in ("shop", "other"):
                process.rows(f"drop schema if exists {schema} cascade")
                # Hive forgets an Iceberg table, and leaves its files.
                shutil.rmtree(shared.folder / "warehouse" / f"{schema}.db", ignore_errors=True)
        except BaseException:
            # the next project does not meet what this one left
            del self._running[name]
            raise


def _write(process, home, files, profile):
    """The project of a process, whose tables are in the warehouse of `home`."""
    configured = {} if "file_format" in profile else {"+file_format": process.format}
    of_kinds = dict.fromkeys(("models", "seeds", "snapshots"), configured)
    write_project(process.folder, files, threads=2, home=home, **of_kinds)
    file = process.folder / "profiles.yml"
    profiles = yaml.safe_load(file.read_text())
    outputs = profiles["shop"]["outputs"]
    outputs["dev"] |= profile
    outputs["dev"]["server_side_parameters"] |= CONFS
    outputs["other"] = {**outputs["dev"], "schema": "other"}
    file.write_text(yaml.safe_dump(profiles))


def run(process, *arguments, **variables):
    """How dbt's command ended, with the variables of its models."""
    return process.dbt(*arguments, "--vars", json.dumps(variables))


def passed(process, *arguments, **variables):
    """The output of a command, all of which worked."""
    ended = run(process, *arguments, **variables)
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def failed(process, *arguments, **variables):
    """The output of a command, some of which failed."""
    ended = run(process, *arguments, **variables)
    assert ended.returncode != 0, ended.stdout
    return ended.stdout


def versions(process, table):
    """The number of a table's commits since it was created."""
    of_format = {"delta": f"describe history {table}", "iceberg": f"select 1 from {table}.snapshots"}
    return len(process.rows(of_format[process.format]))
