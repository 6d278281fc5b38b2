"""Connections of several threads: what one sets, names or cancels is its own."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_scope import ConfScope
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.local_session import CommandSessions

RATE = "spark.sql.adaptiveFilter.collectRate"
SPIN = "select sum(sqrt(a.id) * sqrt(b.id)) from range(10000000) a cross join range(10000000) b"


def test_four_threads_with_different_values_do_not_see_each_others(connect):
    together = threading.Barrier(4)

    def work(number):
        handle = connect(f"node-{number}")
        scope = ConfScope(handle, [ConfEntry(RATE, str(number)), ConfEntry("spark.mine", f"of {number}")])
        seen = []
        for _ in range(3):
            scope.enter("models/m.sql")
            together.wait(60)  # all four are set now
            cursor = handle.cursor()
            cursor.execute(f"set {RATE}")
            seen.append(cursor.fetchall()[0][1])
            cursor.execute("set spark.mine")
            seen.append(cursor.fetchall()[0][1])
            cursor.execute(f"create or replace temporary view mine as select {number} as n")
            together.wait(60)
            cursor.execute("select n from mine")
            seen.append(cursor.fetchall()[0][0])
            assert scope.leave() == []
        return seen, dict(handle.explicit([RATE, "spark.mine"]))

    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(work, range(1, 5)))
    for number, (seen, after) in enumerate(results, start=1):
        assert seen == [str(number), f"of {number}", number] * 3
        assert after == {RATE: None, "spark.mine": None}


def test_a_closed_connections_views_and_confs_are_gone(connect):
    first = connect()
    first.set(ConfEntry("spark.mine", "x"))
    first.cursor().execute("create temporary view gone as select 1")
    first.close()
    second = connect()
    cursor = second.cursor()
    cursor.execute("show tables")
    assert "gone" not in [row[1] for row in cursor.fetchall()]
    assert second.explicit(["spark.mine"]) == {"spark.mine": None}


def test_a_later_profiles_confs_hold_in_its_own_sessions(connect, credentials):
    key = "spark.sql.shuffle.partitions"
    confs = {**credentials.server_side_parameters, key: "7"}
    other = AdaptiveSparkCredentials(database=None, schema="default", server_side_parameters=confs)
    assert CommandSessions(other).connect(lambda: "node").explicit([key]) == {key: "7"}
    assert connect().explicit([key]) == {key: "2"}


def test_the_first_profiles_confs_do_not_hold_for_a_later_one(connect, credentials):
    given = credentials.server_side_parameters
    key = "spark.sql.shuffle.partitions"
    later = AdaptiveSparkCredentials(
        database=None, schema="default", server_side_parameters={k: v for k, v in given.items() if k != key}
    )
    assert CommandSessions(later).connect(lambda: "node").explicit([key]) == {key: None}
    assert connect().explicit([key]) == {key: given[key]}


def test_confs_are_put_back_to_what_they_were_set_or_unset(handle):
    key = "spark.sql.shuffle.partitions"
    handle.set(ConfEntry("spark.mine", "${env:HOME}; `x` -- '"))
    scope = ConfScope(
        handle, [ConfEntry(key, "9"), ConfEntry("spark.mine", "y"), ConfEntry("spark.new", "z")]
    )
    scope.enter("models/m.sql")
    assert handle.explicit([key, "spark.mine", "spark.new"]) == {
        key: "9",
        "spark.mine": "y",
        "spark.new": "z",
    }
    scope.leave()
    assert handle.explicit([key, "spark.mine", "spark.new"]) == {
        key: "2",
        "spark.mine": "${env:HOME}; `x` -- '",
        "spark.new": None,
    }


def wait_for_a_job(handle, description):
    """Waits until a job with this description runs, and returns its tags."""
    store = handle.session.sparkContext._jsc.sc().statusStore()
    for _ in range(300):
        jobs = store.jobsList(None)
        for at in range(jobs.size()):
            job = jobs.apply(at)
            named = job.description().isDefined() and job.description().get() == description
            if named and str(job.status().toString()) == "RUNNING":
                return str(job.jobTags().mkString(","))
        time.sleep(0.1)
    raise AssertionError(f"No job runs for {description}.")


def test_cancel_ends_the_job_and_raises_in_its_thread_only(connect):
    slow, other = connect("model.slow"), connect("model.other")

    def run(handle, sql):
        cursor = handle.cursor()
        cursor.execute(sql)
        return cursor.fetchall()

    with ThreadPoolExecutor(2) as threads:
        running = threads.submit(run, slow, SPIN)
        assert wait_for_a_job(slow, "model.slow").startswith("dbt-")
        began = time.monotonic()
        slow.cancel()
        with pytest.raises(DbtDatabaseError, match=r"The statement was cancelled\."):
            running.result(60)
        assert time.monotonic() - began < 30
        assert threads.submit(run, other, "select sum(id) from range(10)").result(60) == [(45,)]
    assert not list(slow.session.sparkContext.statusTracker().getActiveJobsIds())
    assert run(slow, "select 1") == [(1,)]


def test_cancel_ends_a_query_of_the_adapters_own(connect):
    slow = connect("freshness")
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(slow.statistics, SPIN)
        assert wait_for_a_job(slow, "freshness").startswith("dbt-")
        slow.cancel()
        with pytest.raises(RuntimeError, match=r"The statement was cancelled\."):
            running.result(60)
    assert slow.statistics("select 1") == [(1,)]


def test_a_statement_leaves_no_description_and_no_tag_in_its_thread(handle):
    cursor = handle.cursor()
    cursor.execute("select count(*) from range(10)")
    context = handle.session.sparkContext
    assert context.getLocalProperty("spark.job.description") is None
    assert context.getLocalProperty("spark.job.tags") in (None, "")
