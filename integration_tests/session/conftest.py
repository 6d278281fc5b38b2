"""A real Spark for the tests of this folder."""

import pytest
from format_projects import Processes
from projects import on_this_machine

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions


def in_folder(folder):
    """Confs of a small Spark on this machine, with an in-memory catalog."""
    return {
        **on_this_machine(folder),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.shuffle.partitions": "2",
    }


@pytest.fixture
def confs(tmp_path):
    """The confs of a Spark that a test starts itself."""
    return in_folder(tmp_path)


@pytest.fixture(scope="session")
def credentials(tmp_path_factory):
    """The profile of the one Spark that this process has."""
    confs = in_folder(tmp_path_factory.mktemp("spark"))
    return AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters=confs)


@pytest.fixture
def connect(credentials):
    """Opens connections of one dbt command, each under the name of a node."""
    sessions = CommandSessions(credentials)
    return lambda name="node": sessions.connect(lambda: name)


@pytest.fixture
def handle(connect):
    return connect()


@pytest.fixture
def cursor(handle):
    return handle.cursor()


@pytest.fixture(scope="session")
def formats(tmp_path_factory):
    """Makes projects in table formats, which share a process for each format."""
    with Processes(tmp_path_factory.mktemp) as processes:
        yield processes
