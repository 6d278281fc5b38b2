"""All queries of TPC-DS have the rows that they have without our filters: a small scale of what
`benchmarks/tpcds.py` measures.

`make test ONLY=tpcds` asks every eighth query with one kind of join, the next one with another; with STRATEGIES=all,
as `make tpcds` has it, every query is asked with all of them.
"""

import os
import sys

import pytest

from build_support.builds import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))  # where its programs find each other
os.environ |= {"SF": "0.1", "CLUSTERED": "1"}

from measure import spark_session
from qubole import OURS, STOCK, STRATEGIES
from tpcds import comparable, queries, register, under_each

# Tables are small here, and every filter that is legal is wanted.
ANY_SIZE = {"spark.sql.dynamicFilter.minProbeSize": "0"}

ALL = [(name, strategy) for name in queries() for strategy in STRATEGIES]
CASES = ALL if os.environ.get("STRATEGIES") == "all" else ALL[:: 8 * len(STRATEGIES) + 1]


@pytest.fixture(scope="module")
def spark():
    # customer_demographics has two million rows at any scale, and is broadcast.
    with spark_session("tpcds-test", spark__driver__memory="8g") as session:
        register(session)
        yield session


@pytest.mark.parametrize(("name", "strategy"), CASES)
def test_a_query_has_the_rows_of_stock_spark(spark, name, strategy):
    joins = STRATEGIES[strategy]
    ways = under_each(spark, name, {**joins, **STOCK}, {**joins, **OURS, **ANY_SIZE})
    comparable(name, queries()[name], ways)


def test_many_scans_were_pruned(spark):
    count = "select count(distinct query_id) from dynamic_filter_stats() where verdict = 'filtered'"
    assert spark.sql(count).first()[0] > len(CASES) / 6
