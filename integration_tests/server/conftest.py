"""The server that most tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyhive import hive
from servers import serving


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the server that most tests share."""
    with serving(tmp_path_factory.mktemp("server")) as server:
        yield server.port


@pytest.fixture(scope="session")
def first_session_has_ended(port: int) -> None:
    """With that one the server closes the class loader of spark.jars."""
    hive.connect(host="127.0.0.1", port=port, username="dbt", auth="NONE").close()
