"""Which nodes' statistics are collected, and when: after the node, and of microbatches once they are read."""

from types import SimpleNamespace

import pytest

from dbt.adapters.adaptive_spark.analyze import AnalyzeConfig
from dbt.adapters.adaptive_spark.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf_specs import SAMPLE
from dbt.adapters.adaptive_spark.node_statistics import NodeStatistics, Wanted

CONFIG = AnalyzeConfig(("id",), min_rows=10)


class Config(SimpleNamespace):
    def get(self, name):
        return getattr(self, name, None)


def node(name="orders", materialized="table", parents=(), batch=None, **config):
    return SimpleNamespace(
        unique_id=f"model.shop.{name}",
        schema="shop",
        identifier=name,
        config=Config(materialized=materialized, **config),
        depends_on=SimpleNamespace(nodes=[f"model.shop.{each}" for each in parents]),
        batch=batch,
    )


class Adapter:
    """A connection whose tables have one column, `id`, in Parquet."""

    def __init__(self):
        self.connections = self
        self.ran, self.asked = [], []
        self.confs, self.samples = {}, []

    def spark_confs(self):
        return self

    def explicit(self, keys):
        return {key: self.confs.get(key) for key in keys}

    def set(self, entry):
        self.confs[entry.key] = entry.value

    def unset(self, key):
        del self.confs[key]

    def statistics(self, sql):
        self.asked.append(sql)
        if "adaptive_catalog" in sql:
            return [
                (
                    "shop",
                    "t",
                    "table",
                    "parquet",
                    "me",
                    None,
                    10,
                    None,
                    0,
                    "id",
                    "int",
                    None,
                    None,
                    None,
                    None,
                    None,
                    False,
                )
            ]
        return [(20,)]

    def execute(self, sql, fetch):
        if sql.startswith("ANALYZE"):
            self.ran.append(sql)
            self.samples.append(self.confs.get(SAMPLE))
        else:
            self.asked.append(sql)
        return None, SimpleNamespace(rows=[(20,)])


@pytest.fixture
def adapter():
    return Adapter()


@pytest.fixture
def statistics(adapter):
    return NodeStatistics(adapter)


def test_a_table_is_analyzed_once_it_is_built(adapter, statistics):
    statistics.before(node(), Wanted(node(), CONFIG))
    assert adapter.asked == []
    statistics.after(Wanted(node(), CONFIG), 20)
    assert adapter.ran == ["ANALYZE TABLE `shop`.`t` COMPUTE STATISTICS FOR COLUMNS `id`"]


def test_rows_that_were_written_are_not_counted_again(adapter, statistics):
    statistics.after(Wanted(node(), CONFIG), 9)
    assert (adapter.asked, adapter.ran) == ([], [])


@pytest.mark.parametrize(("rows", "sample"), [(1_999_999, None), (4_000_000, "0.25")])
def test_a_sample_of_a_large_table_is_counted(adapter, statistics, rows, sample):
    statistics.after(Wanted(node(), CONFIG), rows)
    assert adapter.samples == [sample]
    assert adapter.confs == {}


def test_a_sample_that_the_session_wants_stays(adapter, statistics):
    adapter.confs[SAMPLE] = "1"
    statistics.after(Wanted(node(), CONFIG), 4_000_000)
    assert adapter.samples == ["1"]


def test_the_confs_of_the_node_hold(adapter, statistics):
    own = (ConfEntry(SAMPLE, "0.5"),)
    statistics.after(Wanted(node(), CONFIG, own), 4_000_000)
    batched = Wanted(node("events", "incremental", batch=SimpleNamespace(id="1")), CONFIG, own)
    statistics.after(batched, 100)
    statistics.finish()
    assert adapter.samples == ["0.5", "0.5"]
    assert adapter.confs == {}


def test_what_hooks_wrote_is_not_taken_for_the_table(adapter, statistics):
    statistics.after(Wanted(node(pre_hook=["create table staging as …"]), CONFIG), 4_000_000)
    assert any("count(*)" in sql for sql in adapter.asked)
    assert adapter.samples == [None]


def test_rows_of_a_table_that_grows_are_counted(adapter, statistics):
    statistics.after(Wanted(node(materialized="incremental"), CONFIG), 1)
    assert any("count(*)" in sql for sql in adapter.asked)
    assert len(adapter.ran) == 1


def test_views_are_passed_over(adapter, statistics):
    statistics.after(Wanted(node(materialized="view"), CONFIG), None)
    assert (adapter.asked, adapter.ran) == ([], [])


def test_batches_are_analyzed_together_before_they_are_read(adapter, statistics):
    for batch in ("1", "2"):
        batched = node("events", "incremental", batch=SimpleNamespace(id=batch))
        statistics.before(batched, Wanted(batched, CONFIG))
        statistics.after(Wanted(batched, CONFIG), 100)
    assert adapter.ran == []
    statistics.before(node("other", parents=["orders"]), None)
    assert adapter.ran == []
    statistics.before(node("reader", parents=["events"]), None)
    statistics.before(node("second", parents=["events"]), None)
    assert len(adapter.ran) == 1
    assert not statistics.has_pending


def test_batches_that_nobody_reads_are_analyzed_at_the_end(adapter, statistics):
    statistics.after(Wanted(node("events", "incremental", batch=SimpleNamespace(id="1")), CONFIG), 100)
    assert statistics.has_pending
    statistics.finish()
    assert len(adapter.ran) == 1


@pytest.mark.parametrize(
    ("config", "rows", "restored"),
    [
        ({"incremental_strategy": None}, 0, True),
        ({"incremental_strategy": "append"}, 3, False),
        ({"incremental_strategy": "append"}, None, False),
        ({"incremental_strategy": "insert_overwrite", "partition_by": ["day"]}, 0, True),
        ({"incremental_strategy": "insert_overwrite"}, 0, False),
        ({"incremental_strategy": "merge"}, 0, False),
        ({"incremental_strategy": "append", "pre_hook": ["truncate table t"]}, 0, False),
    ],
)
def test_statistics_are_put_back_where_nothing_was_added(adapter, statistics, config, rows, restored):
    incremental = node(materialized="incremental", **config)
    statistics.before(incremental, Wanted(incremental, CONFIG))
    statistics.after(Wanted(incremental, CONFIG), rows)
    assert any("adaptive_restore_statistics('shop', 'orders')" in sql for sql in adapter.asked) == restored


def test_a_failure_fails_nothing(adapter, statistics):
    def statistics_fail(sql):
        raise RuntimeError("no metastore")

    adapter.statistics = statistics_fail
    incremental = node(materialized="incremental")
    statistics.before(incremental, Wanted(incremental, CONFIG))
    statistics.after(Wanted(node(), CONFIG), 20)
