"""Users of a Thrift server: what each sees of the queries, and what the driver remembers for each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from pyhive import hive
from servers import FILTER, JOIN

from dbt.adapters.adaptive_spark.learned.evidence import Evidence, NodeMemory, prior, remember_sql
from dbt.adapters.adaptive_spark.spark.remote import Remote
from dbt.adapters.adaptive_spark.spark.server_error import ServerError

pytestmark = pytest.mark.usefixtures("first_session_has_ended")


@pytest.fixture
def as_user(port: int) -> Iterator[Any]:
    """Opens connections of a user."""
    with ExitStack() as opened:

        def open_(user: str) -> Remote:
            return Remote(
                opened.enter_context(hive.connect(host="127.0.0.1", port=port, username=user, auth="NONE"))
            )

        yield open_


def run_as(remote: Remote, tag: str) -> None:
    """Runs the queries of a node labelled `tag`."""
    for key, value in {"queryTag": tag, "runId": "run"}.items():
        remote.statistics(f"set spark.sql.adaptiveFilter.{key}={value}")
    remote.statistics("set spark.sql.dynamicFilter.minProbeSize=0")
    remote.statistics(FILTER)
    remote.statistics(JOIN)


@pytest.mark.usefixtures("tables")
def test_each_user_sees_the_own_queries_alone(as_user: Any) -> None:
    ann, ben = as_user("ann"), as_user("ben")
    assert ann.statistics("select current_user()") == [("ann",)]
    run_as(ann, "of.ann")
    run_as(ben, "of.ben")
    for remote, mine, other in (
        (ann, "of.ann", "of.ben"),
        (ben, "of.ben", "of.ann"),
        (as_user("ann"), "of.ann", "of.ben"),
    ):
        for function in ("adaptive_filter_stats", "dynamic_filter_stats", "adaptive_query_stats"):
            tags = remote.statistics(f"select distinct query_tag from {function}() where run_id = 'run'")
            assert tags == [(mine,)], function
        changed = remote.statistics("select query_tag from adaptive_plan_stats() where run_id = 'run'")
        assert {tag for (tag,) in changed} <= {mine}
        told = [
            json.loads(remote.statistics(f"select stats from adaptive_run_stats('{tag}', 'run', -1)")[0][0])
            for tag in (mine, other)
        ]
        assert told[0]["filters"]
        assert not any(told[1].values())


def test_no_client_may_open_the_rows_of_others(as_user: Any) -> None:
    key = "spark.sql.adaptiveMemory.shareAcrossUsers"
    with pytest.raises(ServerError, match=f"CANNOT_MODIFY_STATIC_CONFIG.*{key}"):
        as_user("ann").statistics(f"set {key}=true")


def test_what_the_driver_is_told_of_a_nodes_filters_is_their_first_order_for_that_user(as_user: Any) -> None:
    few = "select count(*) from few where id % 2 = 0 and id > 10 and s like '%7%'"

    def order(remote: Remote, tag: str) -> list[str]:
        for key, value in {"queryTag": tag, "runId": "run", "collectRate": 1_000_000}.items():
            remote.statistics(f"set spark.sql.adaptiveFilter.{key}={value}")
        remote.statistics(few)
        rows = remote.statistics(
            f"select shape from adaptive_filter_stats() where query_tag = '{tag}' order by final_position"
        )
        return [shape for (shape,) in rows]

    dan, eve = as_user("dan"), as_user("eve")
    # fewer than come before a task samples any: the order stays the first one
    dan.statistics(
        "create table few using parquet as select id, cast(id as string) as s from range(0, 100, 1, 1)"
    )
    dan.statistics("set spark.sql.parser.escapedStringLiterals=true")
    written = order(dan, "untold")
    wanted = written[::-1]
    known = {shape: Evidence(1000, 100 * at, 1000) for at, shape in enumerate(wanted)}
    text = prior(NodeMemory(known))
    assert text is not None
    assert dan.statistics(remember_sql("it's told", "run", text)) == [(True,)]
    assert dan.statistics(remember_sql("told", "run", text)) == [(True,)]
    assert order(dan, "told") == wanted
    assert order(eve, "told") == written
    settings = {row[0]: row[1] for row in dan.statistics("set")}
    assert not any("(id > ?)" in value for value in settings.values())
