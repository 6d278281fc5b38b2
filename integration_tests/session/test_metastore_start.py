"""Spark starts with a metastore in Derby, which serves one process at a time."""

import subprocess
import sys

from programs import CONNECT, on_derby, python
from projects import ROOT

HOLD = """
import time
handle.statistics("show databases")
print("open", flush=True)
time.sleep(120)
"""


def test_a_metastore_that_another_process_holds_is_one_sentence(confs, tmp_path):
    confs = on_derby(confs, tmp_path)
    first = subprocess.Popen(
        [sys.executable, "-c", f"CONFS = {confs!r}\n{CONNECT}{HOLD}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert "open\n" in iter(first.stdout.readline, "")
        second = python(CONNECT, confs)
    finally:
        first.kill()
        first.wait()
    log = second.stderr.strip().splitlines()
    assert log[-1] == (
        f"FailedToConnectError: Spark's metastore {tmp_path}/metastore_db is in use by another process, such as another "
        "dbt or a notebook: Derby, which Spark keeps it in by default, serves one at a time. Wait until that one has "
        "ended, or start dbt in another folder, or name a metastore that several can use (spark.hadoop.hive.metastore.uris, "
        "or a database server in spark.hadoop.javax.jdo.option.ConnectionURL)."
    )
    assert len(log) < 30, second.stderr


def test_a_metastore_that_is_free_is_used(confs, tmp_path):
    program = CONNECT + 'print(handle.statistics("show databases"))'
    ended = python(program, on_derby(confs, tmp_path))
    assert ended.stdout.splitlines() == ["[Row(namespace='default')]"], ended.stderr[-2000:]
