"""The server that most tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyhive import hive
from servers import serving

from dbt.adapters.adaptive_spark.spark.remote import Remote


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the server that most tests share."""
    with serving(tmp_path_factory.mktemp("server")) as server:
        yield server.port


@pytest.fixture(scope="session")
def first_session_has_ended(port: int) -> None:
    """With that one the server closes the class loader of spark.jars."""
    hive.connect(host="127.0.0.1", port=port, username="dbt", auth="NONE").close()


@pytest.fixture(scope="session")
def client(port: int, first_session_has_ended: None) -> Iterator[Remote]:
    with hive.connect(host="127.0.0.1", port=port, username="dbt", auth="NONE") as connection:
        yield Remote(connection)


@pytest.fixture(scope="session")
def tables(client: Remote) -> None:
    facts = "select id, id % 7 as k, cast(id as string) as s from range(0, 200000, 1, 4)"
    client.statistics(f"create table facts using parquet as {facts}")
    client.statistics("create table dims using parquet as select id, id % 50 as k from range(0, 40000, 1, 4)")
