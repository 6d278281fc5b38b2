"""A server that is killed while dbt runs: the statement, the nodes after it and the hooks at the end say so."""

from __future__ import annotations

import time
from pathlib import Path

from listening import UP_WITHIN_S
from servers import project, serving

SLOW = """\
{{ config(materialized='table') }}
select count(*) as n from range(2000000000000) where id % 3 = 1 and sqrt(id) > 2
"""
FILES = {
    "models/a_slow.sql": SLOW,
    "models/b_next.sql": "select 1 as n",
    "dbt_project.yml": """\
name: shop
version: "1.0"
profile: shop
on-run-start: ["select 1"]
on-run-end: ["select 1"]
""",
}
REMEDY = "Run `dbt retry` once the server is up."


def wait_until_polled(log: Path, statement: str) -> None:
    """Until dbt has sent the statement and asks how it fares."""
    end = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < end:
        text = log.read_text() if log.exists() else ""
        if "Poll status" in text.partition(statement)[2]:
            return
        time.sleep(0.1)
    raise AssertionError(f"{statement!r} does not run after {UP_WITHIN_S} s")


def test_a_server_that_is_killed_during_a_model_is_one_sentence_for_each_node(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        shop = project(tmp_path, FILES, method="thrift", port=server.port, threads=1)
        run = shop.start("run")
        wait_until_polled(tmp_path / "logs" / "dbt.log", "range(2000000000000)")
        server.process.kill()
        said, _ = run.communicate()
    at = f"at 127.0.0.1:{server.port}"
    slow, following = (shop.results()[name]["message"] for name in ("a_slow", "b_next"))
    assert f"The connection to the Spark server {at} was lost (" in slow
    assert "Most likely the server has ended, such as for want of memory" in slow
    assert REMEDY in slow
    assert f"The Spark server {at} cannot be reached (" in following
    assert "See that it runs, and check host and port in your profile." in following
    assert len(slow.splitlines()) <= 3
    assert len(following.splitlines()) <= 3
    assert f"The Spark server {at} cannot be reached (" in shop.results()["shop-on-run-end-0"]["message"]
    assert not [word for word in ("Traceback", "unexpected exception", "Unhandled error") if word in said], (
        said
    )
