"""dbt on a Thrift server in HTTP mode (hive.server2.transport.mode=http)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.spark.connections import SparkConnectionMethod
from servers import ThriftServer, project, serving

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.command_server import CommandServer

PATH = "gateway/spark"
MODEL = """\
{{ config(materialized='table', spark_conf={'spark.sql.shuffle.partitions': 3}) }}
select id, current_user() as who from range(100000) where id % 2 = 0 and id > 10
"""
FILES = {
    "models/numbers.sql": MODEL,
    "seeds/letters.csv": "n,letter\n1,x\n2,y\n",
    "tests/is_anns.sql": "select * from {{ ref('numbers') }} where who <> 'ann'",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    folder = tmp_path_factory.mktemp("http")
    # it wants a user and a password, and takes any
    with serving(folder, hive_server2_transport_mode="http", hive_server2_thrift_http_path=PATH) as running:
        yield running


def test_dbt_builds_a_project_and_says_what_its_filters_learned(server: ThriftServer, tmp_path: Path) -> None:
    login = {"user": "ann", "password": "hunter2"}
    shop = project(tmp_path, FILES, method="http", port=server.port, http_path=PATH, **login)
    for command in ("debug", "build"):
        run = shop.start(command)
        said, _ = run.communicate()
        assert run.returncode == 0, said
        if command == "debug":
            assert f"http_path: {PATH}" in said
    results = shop.results()
    assert results.keys() == {"numbers", "letters", "is_anns"}
    (learned,) = results["numbers"]["adapter_response"]["adaptive_filters"]
    assert (learned["rows_in"], learned["rows_out"]) == (100_000, 49_994)
    written = [*(tmp_path / "logs").iterdir(), *(tmp_path / "target").glob("*.json")]
    assert len(written) > 1
    encoded = b64encode(b"ann:hunter2").decode()
    assert not [each for each in written if "hunter2" in each.read_text() or encoded in each.read_text()]


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        (SparkConnectionMethod.HTTP, "has no Thrift service there (HTTP 405 Method Not Allowed). Check http_path"),
        (SparkConnectionMethod.THRIFT, "does not answer as a Thrift server (TSocket read 0 bytes). Check user"),
    ],
)  # fmt: skip
def test_a_profile_for_another_path_or_mode_is_one_sentence(
    server: ThriftServer, method: SparkConnectionMethod, sentence: str
) -> None:
    profile = AdaptiveSparkCredentials(
        schema="s", method=method, host="127.0.0.1", port=server.port, user="ann"
    )
    with pytest.raises(FailedToConnectError) as error:
        CommandServer(profile).connect()
    assert error.value.msg.startswith(f"The Spark server at 127.0.0.1:{server.port}")
    assert sentence in error.value.msg
