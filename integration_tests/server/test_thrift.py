"""Clients of a Thrift server once the session that came first has ended, and the confs that dbt sets there."""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml
from dbt.adapters.contracts.connection import Connection, ConnectionState, Identifier
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.spark.connections import SparkConnectionMethod
from pyhive import hive
from servers import FILTER, JOIN, project

from dbt.adapters.adaptive_spark.connections import AdaptiveSparkConnectionManager
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark import command_server
from dbt.adapters.adaptive_spark.spark.remote import Remote
from dbt.adapters.adaptive_spark.spark.server_handle import ServerHandle
from dbt.adapters.adaptive_spark.spark.session_conf import SESSION_DEFAULTS

pytestmark = pytest.mark.usefixtures("first_session_has_ended")

# all ways in which our code comes to the tasks: generated, interpreted, over batches, over rows, beside a shuffle
MODES: list[dict[str, str]] = [
    {},
    {"spark.sql.codegen.compiler": "jdk"},
    {"spark.sql.adaptive.enabled": "false"},
    {"spark.sql.parquet.enableVectorizedReader": "false"},
    {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"},
]


@pytest.fixture
def confs(client: Remote) -> Iterator[Any]:
    """Sets confs for a test."""
    yield lambda keys: [client.statistics(f"set {key}={value}") for key, value in keys.items()]
    client.statistics("reset")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: ",".join(mode) or "default")
@pytest.mark.parametrize("broadcast", ["10m", "-1"])
def test_filters_and_joins_work_from_spark_jars_alone(
    client: Remote, confs: Any, mode: dict[str, str], broadcast: str
) -> None:
    confs({"spark.sql.adaptiveFilter.enabled": "false", "spark.sql.dynamicFilter.enabled": "false"})
    expected = [client.statistics(query) for query in (FILTER, JOIN)]
    tag = f"{broadcast} {mode}".replace("'", "")
    confs({"spark.sql.adaptiveFilter.enabled": "true", "spark.sql.dynamicFilter.enabled": "true"})
    confs({"spark.sql.dynamicFilter.minProbeSize": "0", "spark.sql.autoBroadcastJoinThreshold": broadcast})
    confs({**mode, "spark.sql.adaptiveFilter.queryTag": tag})
    assert [client.statistics(query) for query in (FILTER, JOIN)] == expected
    told = f"where query_tag = '{tag}'"
    filters = client.statistics(
        f"select count(distinct filter_id) from adaptive_filter_stats() {told} and rows_in > 0"
    )
    assert filters[0][0] >= 2
    verdicts = client.statistics(f"select verdict from dynamic_filter_stats() {told}")
    assert [tuple(row) for row in verdicts] == [("filtered",)]


@pytest.mark.usefixtures("tables")
def test_keys_of_a_large_build_side_are_read_from_spark_jars_alone(client: Remote, confs: Any) -> None:
    confs(
        {
            "spark.sql.dynamicFilter.enabled": "true",
            "spark.sql.dynamicFilter.minProbeSize": "0",
            "spark.sql.autoBroadcastJoinThreshold": "-1",
            "spark.sql.adaptiveFilter.queryTag": "large",
        }
    )
    # more keys than are kept one by one
    large = "select count(*) from facts f join (select id from facts where k < 3) d on f.id = d.id"
    assert client.statistics(large)[0][0] == 85716
    verdicts = client.statistics("select verdict from dynamic_filter_stats() where query_tag = 'large'")
    assert [tuple(row) for row in verdicts] == [("filtered",)]


@pytest.mark.usefixtures("tables")
def test_statistics_hints_and_functions_work_from_spark_jars_alone(client: Remote, confs: Any) -> None:
    confs({"spark.sql.adaptiveStatistics.sample": "0.1", "spark.sql.statistics.histogram.enabled": "true"})
    client.statistics("analyze table facts compute statistics for columns id, k, s")
    counted = {name: value for name, value, *_ in client.statistics("describe extended facts k")}
    assert counted["distinct_count"] == "7"
    hinted = (
        "select /*+ FILTER_ORDER(k), DYNAMIC_FILTER(d) */ count(*) from facts f join dims d on f.id = d.id"
    )
    assert client.statistics(f"{hinted} where d.k = 3 and f.k > 1 and f.k < 5")[0][0] > 0
    assert client.statistics("select count(*) from adaptive_catalog('default')")[0][0] > 0
    for function in ("adaptive_query_stats", "adaptive_plan_stats"):
        client.statistics(f"select * from {function}()")


@pytest.fixture
def opened(port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Opens connections as dbt does, those with the same parameters in one command; and the
    warnings and statements of that.
    """
    said: list[str] = []
    sent: list[str] = []
    monkeypatch.setattr(command_server, "_logger", SimpleNamespace(warning=said.append))
    execute = hive.Cursor.execute

    def recorded(cursor: Any, sql: str, *arguments: Any, **named: Any) -> None:
        sent.append(sql)
        execute(cursor, sql, *arguments, **named)

    monkeypatch.setattr(hive.Cursor, "execute", recorded)
    handles = []
    managers: dict[str, AdaptiveSparkConnectionManager] = {}

    def command(parameters: dict[str, Any]) -> AdaptiveSparkConnectionManager:
        credentials = AdaptiveSparkCredentials(
            schema="default",
            method=SparkConnectionMethod.THRIFT,
            host="127.0.0.1",
            port=port,
            user="dbt",
            server_side_parameters=parameters,
        )
        profile: Any = SimpleNamespace(credentials=credentials, project_target_path=str(tmp_path))
        return AdaptiveSparkConnectionManager(profile, multiprocessing.get_context("spawn"))

    def open_(**parameters: Any) -> ServerHandle:
        manager = managers.setdefault(str(parameters), command(parameters))
        credentials: Any = manager.profile.credentials
        connection = Connection(Identifier("adaptive_spark"), "n", credentials, ConnectionState.INIT)
        handle: Any = manager.open(connection).handle
        handles.append(handle)
        return cast(ServerHandle, handle)

    yield SimpleNamespace(open=open_, said=said, sent=sent)
    for handle in handles:
        handle.close()


def test_parameters_and_defaults_are_set_on_every_session_and_cost_one_statement_from_the_second(
    opened: Any,
) -> None:
    mine = {
        "spark.sql.adaptiveFilter.collectRate": 77,
        "spark.sql.shuffle.partitions": 2,
        "spark.my.x": "a;'`b",
    }
    texts = {key: str(value) for key, value in mine.items()}
    for _ in range(3):
        opened.sent.clear()
        session = opened.open(**mine)
        last = list(opened.sent)
        assert session.explicit([*texts, *SESSION_DEFAULTS]) == {**texts, **SESSION_DEFAULTS}
    assert last == ["USE `default`", "SET"], "the first is the driver's own"
    assert opened.said == []


def test_a_profile_may_turn_ansi_on(opened: Any) -> None:
    zero = "select 1 / (id - id) from range(1)"
    assert opened.open().statistics(zero) == [(None,)]
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        opened.open(**{"spark.sql.ansi.enabled": True}).statistics(zero)


def test_parameters_that_are_fixed_are_named_once(opened: Any) -> None:
    for _ in range(2):
        opened.open(
            **{"spark.master": "yarn", "spark.sql.warehouse.dir": "/w", "spark.sql.shuffle.partitions": 3}
        )
    (warning,) = opened.said
    assert warning.startswith("server_side_parameters: spark.master, spark.sql.warehouse.dir cannot be set")


def test_a_value_that_spark_refuses_is_one_sentence(opened: Any) -> None:
    with pytest.raises(FailedToConnectError) as error:
        opened.open(**{"spark.sql.shuffle.partitions": "many"})
    assert error.value.msg.startswith(
        "server_side_parameters: spark.sql.shuffle.partitions: many is refused by Spark: "
    )
    assert "\n" not in error.value.msg


MODEL = """\
{{ config(materialized='table', spark_conf={'spark.sql.shuffle.partitions': 3}) }}
select id from range(100000) where id % 2 = 0 and id > 10
"""


def test_dbt_builds_a_model_and_says_what_its_filter_learned(port: int, tmp_path: Path) -> None:
    shop = project(
        tmp_path, {f"models/{name}.sql": MODEL for name in ("numbers", "more")}, method="thrift", port=port
    )
    run = shop.start("run")
    said, _ = run.communicate()
    assert run.returncode == 0, said
    for result in shop.results().values():
        (learned,) = result["adapter_response"]["adaptive_filters"]
        assert (learned["rows_in"], learned["rows_out"]) == (100_000, 49_994)


FAILING = "select cast(concat('x', id) as int) as n from range(1)"
FAILING_FILES = {
    **{f"models/cast{each}.sql": "{{ config(materialized='table') }} " + FAILING for each in range(2)},
    "models/unknown.sql": "select nope from range(10)",
    "models/hooked.sql": '{{ config(pre_hook="' + FAILING + '") }} select 1 as n',
    "models/fine.sql": "select 1 as n",
    # dbt counts the rows of a test, for which nobody needs a column's values
    "tests/casts.sql": "select 1 as n from range(1) where cast(concat('x', id) as int) > 0",
    "seeds/letters.csv": "n\nx\n",
    "dbt_project.yml": yaml.safe_dump(
        {
            "name": "shop",
            "version": "1.0",
            "profile": "shop",
            "seeds": {"+post-hook": FAILING},
        }
    ),
}
CAST = '[CAST_INVALID_INPUT] The value \'x0\' of the type "STRING" cannot be cast to "INT" because it is malformed.'


def test_statements_that_fail_have_sparks_reason_and_no_stack(port: int, tmp_path: Path) -> None:
    ansi = {"spark.sql.ansi.enabled": True}
    shop = project(tmp_path, FAILING_FILES, method="thrift", port=port, server_side_parameters=ansi)
    said, _ = shop.start("build").communicate()
    messages = {name: each["message"] for name, each in shop.results().items()}
    assert messages.pop("fine") == "OK"
    assert messages.keys() == {"cast0", "cast1", "unknown", "hooked", "casts", "letters"}
    for name, message in messages.items():
        expected = "[UNRESOLVED_COLUMN" if name == "unknown" else CAST
        assert message.splitlines()[1].startswith(f"  {expected}"), message
        assert len(message.splitlines()) < 8, message
    for text in (said, (tmp_path / "target" / "run_results.json").read_text()):
        assert "CAST_INVALID_INPUT" in text
        assert not re.search(r"\bat [\w.$]+\(\w+\.(java|scala):|HiveSQLException|TStatus", text), text


# Each makes `written` another table than it was, and may run twice.
WRITES = {
    "append": ["insert into written select id + 50, id % 3 from range(10)"],
    "overwrite": ["insert overwrite written select id, id % 2 from range(5)"],
    "made anew": ["drop table written", "create table written {stored} as select id, id % 2 p from range(3)"],
    "truncated": ["truncate table written"],
}


@pytest.mark.parametrize("form", ["parquet", "orc", "parquet partitioned by (p)", "hive"])
def test_a_connection_reads_what_another_one_wrote(client: Remote, port: int, form: str) -> None:
    def connected() -> hive.Connection:
        return hive.connect(host="127.0.0.1", port=port, username="dbt", auth="NONE")

    client.statistics("drop table if exists written")
    stored = "stored as parquet" if form == "hive" else f"using {form}"
    client.statistics(f"create table written {stored} as select id, id % 3 p from range(20)")
    client.statistics("create or replace temporary view of_written as select * from written")
    asked = "select count(*), sum(id), max(p) from "
    with connected() as reading, connected() as writing:
        readers = [client, Remote(reading)]
        assert [tuple(each.statistics(asked + "written")[0]) for each in readers] == [(20, 190, 2)] * 2
        for name, statements in WRITES.items():
            for _ in range(2):
                for statement in statements:
                    Remote(writing).statistics(statement.format(stored=stored))
                with connected() as fresh:
                    expected = Remote(fresh).statistics(asked + "written")
                found = [each.statistics(asked + "written") for each in readers]
                assert [*found, client.statistics(asked + "of_written")] == [expected] * 3, name
