"""Which nodes' statistics are collected, and when: after the node, and of microbatches once they are read."""

from types import SimpleNamespace

import pytest

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_keys import SAMPLE
from dbt.adapters.adaptive_spark.statistics.analyze_config import AnalyzeConfig, ColumnError
from dbt.adapters.adaptive_spark.statistics.node_statistics import AnalyzeRequest, NodeStatistics

CONFIG = AnalyzeConfig(("id",), min_rows=10)
NAME = "models/orders.sql"


class Config(SimpleNamespace):
    def get(self, name):
        return getattr(self, name, None)


def node(name="orders", materialized="table", parents=(), batch=None, sql=None, **config):
    return SimpleNamespace(
        unique_id=f"model.shop.{name}",
        schema="shop",
        identifier=name,
        config=Config(materialized=materialized, **config),
        depends_on=SimpleNamespace(nodes=[f"model.shop.{each}" for each in parents]),
        batch=batch,
        compiled_code=sql,
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
        if sql.startswith("describe query"):
            return [("id", "int", None), ("tags", "array<int>", None)]
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
                    None,
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
    statistics.before(node(), AnalyzeRequest(node(), CONFIG, NAME))
    assert adapter.asked == []
    statistics.after(AnalyzeRequest(node(), CONFIG, NAME), 20)
    assert adapter.ran == ["ANALYZE TABLE `shop`.`t` COMPUTE STATISTICS FOR COLUMNS `id`"]


def test_rows_that_were_written_are_not_counted_again(adapter, statistics):
    statistics.after(AnalyzeRequest(node(), AnalyzeConfig(min_rows=10), NAME), 9)
    assert (adapter.asked, adapter.ran) == ([], [])


@pytest.mark.parametrize(("rows", "sample"), [(1_999_999, None), (4_000_000, "0.25")])
def test_a_sample_of_a_large_table_is_counted(adapter, statistics, rows, sample):
    statistics.after(AnalyzeRequest(node(), CONFIG, NAME), rows)
    assert adapter.samples == [sample]
    assert adapter.confs == {}


def test_a_sample_that_the_session_wants_stays(adapter, statistics):
    adapter.confs[SAMPLE] = "1"
    statistics.after(AnalyzeRequest(node(), CONFIG, NAME), 4_000_000)
    assert adapter.samples == ["1"]


def test_the_confs_of_the_node_hold(adapter, statistics):
    own = (ConfEntry(SAMPLE, "0.5"),)
    statistics.after(AnalyzeRequest(node(), CONFIG, NAME, own), 4_000_000)
    batched = AnalyzeRequest(node("events", "incremental", batch=SimpleNamespace(id="1")), CONFIG, NAME, own)
    statistics.after(batched, 100)
    statistics.finish()
    assert adapter.samples == ["0.5", "0.5"]
    assert adapter.confs == {}


def test_what_hooks_wrote_is_not_taken_for_the_table(adapter, statistics):
    statistics.after(AnalyzeRequest(node(pre_hook=["create table staging as …"]), CONFIG, NAME), 4_000_000)
    assert any("count(*)" in sql for sql in adapter.asked)
    assert adapter.samples == [None]


def test_rows_of_a_table_that_grows_are_counted(adapter, statistics):
    statistics.after(AnalyzeRequest(node(materialized="incremental"), CONFIG, NAME), 1)
    assert any("count(*)" in sql for sql in adapter.asked)
    assert len(adapter.ran) == 1


def test_a_column_that_a_table_which_has_grown_lacks_fails_nothing(adapter, statistics, monkeypatch):
    told = []
    monkeypatch.setattr(
        "dbt.adapters.adaptive_spark.statistics.node_statistics._logger", SimpleNamespace(warning=told.append)
    )
    statistics.after(wanted("idd", materialized="incremental"), 5)
    assert adapter.ran == [] and "'idd' is not a column of" in told[0]


def test_views_are_passed_over(adapter, statistics):
    statistics.after(AnalyzeRequest(node(materialized="view"), CONFIG, NAME), None)
    assert (adapter.asked, adapter.ran) == ([], [])


def test_batches_are_analyzed_together_before_they_are_read(adapter, statistics):
    for batch in ("1", "2"):
        batched = node("events", "incremental", batch=SimpleNamespace(id=batch))
        statistics.before(batched, AnalyzeRequest(batched, CONFIG, NAME))
        statistics.after(AnalyzeRequest(batched, CONFIG, NAME), 100)
    assert adapter.ran == []
    statistics.before(node("other", parents=["orders"]), None)
    assert adapter.ran == []
    statistics.before(node("reader", parents=["events"]), None)
    statistics.before(node("second", parents=["events"]), None)
    assert len(adapter.ran) == 1
    assert not statistics.has_pending


def test_batches_that_nobody_reads_are_analyzed_at_the_end(adapter, statistics):
    statistics.after(
        AnalyzeRequest(node("events", "incremental", batch=SimpleNamespace(id="1")), CONFIG, NAME), 100
    )
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
    statistics.before(incremental, AnalyzeRequest(incremental, CONFIG, NAME))
    statistics.after(AnalyzeRequest(incremental, CONFIG, NAME), rows)
    assert any("adaptive_restore_statistics('shop', 'orders')" in sql for sql in adapter.asked) == restored


def test_a_failure_fails_nothing(adapter, statistics):
    def statistics_fail(sql):
        raise RuntimeError("no metastore")

    adapter.statistics = statistics_fail
    incremental = node(materialized="incremental")
    statistics.before(incremental, AnalyzeRequest(incremental, CONFIG, NAME))
    statistics.after(AnalyzeRequest(node(), CONFIG, NAME), 20)


def wanted(*columns, **fields):
    return AnalyzeRequest(node(**fields), AnalyzeConfig(columns, min_rows=10), NAME)


@pytest.mark.parametrize("materialized", ["table", "view", "incremental"])
@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ("idd", "analyze: 'idd' is not a column of shop.orders (models/orders.sql). Did you mean id?"),
        (
            "tags",
            "analyze: 'tags' is of the type array<int>, of which Spark's planner uses no statistics (models/orders.sql). "
            "Leave it out.",
        ),
    ],
)
def test_a_column_that_the_query_does_not_give_stops_the_node_before_it_runs(
    statistics, materialized, column, sentence
):
    of = wanted("id", column, materialized=materialized, sql="select 1 as id, array(1) as tags")
    with pytest.raises(ColumnError) as error:
        statistics.before(of.node, of)
    assert error.value.msg == sentence


def test_a_column_that_the_table_of_an_incremental_model_has_already_is_none_that_it_lacks(
    adapter, statistics
):
    of = wanted("id", "old", materialized="incremental", sql="select 1 as id")
    catalog = adapter.statistics
    adapter.statistics = lambda sql: (
        [(*each[:10], "old", *each[11:]) for each in catalog(sql)]
        if "adaptive_catalog" in sql
        else catalog(sql)
    )
    statistics.before(of.node, of)


def test_what_spark_can_not_say_before_the_node_runs_is_seen_after_it(adapter, statistics):
    of = wanted("idd", sql="select id from made_by_a_hook")
    ask = adapter.statistics

    def fails(sql):
        if sql.startswith("describe query"):
            raise RuntimeError("no such table")
        return ask(sql)

    adapter.statistics = fails
    statistics.before(of.node, of)
    with pytest.raises(ColumnError, match="'idd' is not a column of"):
        statistics.after(of, 5)
    assert adapter.ran == []


def test_a_wrong_column_of_a_node_that_has_ended_does_not_stop_the_next(statistics):
    statistics.after(
        wanted("idd", name="events", materialized="incremental", batch=SimpleNamespace(id="1")), 100
    )
    statistics.before(node("reader", parents=["events"]), None)
    assert not statistics.has_pending


def test_a_table_of_another_catalog_is_never_taken_for_the_sessions(monkeypatch):
    told = []
    monkeypatch.setattr(
        "dbt.adapters.adaptive_spark.statistics.node_statistics._logger",
        SimpleNamespace(warning=told.append, debug=lambda _: None),
    )
    adapter = Adapter()
    statistics = NodeStatistics(adapter)
    for name in ("orders", "events"):
        elsewhere = node(name, materialized="incremental", sql="select 1")
        elsewhere.database = "lake"
        request = AnalyzeRequest(elsewhere, CONFIG, NAME)
        statistics.before(elsewhere, request)
        statistics.after(request, 20)
    assert not adapter.asked and not adapter.ran
    assert told == [
        "analyze: lake.shop.orders is not in Spark's session catalog, and Spark keeps statistics of its own only there. "
        "Turn analyze off for it. Of more such tables nothing is said."
    ]
