"""Stand-ins that tests of several folders share."""

import os
import sys

import pytest

from build_support.builds import JAR_DIRECTORY
from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.spark.extension_check import PROOF


def _refuse_jars(event, arguments):
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        path = os.fspath(arguments[0])
        if isinstance(path, str) and path.startswith(str(JAR_DIRECTORY)):
            raise RuntimeError(f"{path}: a unit test reads no jar of ours. Move it to a folder that has one.")


# They run in a checkout that has built none.
sys.addaudithook(_refuse_jars)


class Server:
    """A DB-API connection to a server, with what it has set and the statements that it refuses."""

    def __init__(self, confs, refuses=None):
        self.confs = confs
        self.refuses = refuses or {}
        self.executed = []
        self.description = None
        self.closed = 0

    def cursor(self):
        return self

    def execute(self, sql):
        self.executed.append(sql)
        if sql in self.refuses:
            raise RuntimeError(self.refuses[sql])
        self.rows = list(self.confs.items()) if sql == "SET" else [(version,)]
        self.description = [("key",), ("value",)] if sql in ("SET", PROOF) else None

    def fetchall(self):
        return self.rows

    def close(self):
        self.description = None
        self.closed += 1


@pytest.fixture
def make_server():
    """Makes a server of the confs that it has set, and of the statements that it refuses with what it says."""
    return Server
