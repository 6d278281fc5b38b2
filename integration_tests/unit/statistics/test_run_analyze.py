"""The statements that collect a table's statistics, and the confs that each runs under."""

import pytest

from dbt.adapters.adaptive_spark.conf.conf_keys import HISTOGRAM_COLUMNS, ROW_COUNT, SAMPLE
from dbt.adapters.adaptive_spark.statistics.analyze_config import (
    ALL,
    AUTO,
    HISTOGRAMS,
    AnalyzeConfig,
    ColumnError,
)
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Needed
from dbt.adapters.adaptive_spark.statistics.run_analyze import collect

MODEL = "models/orders.sql"
ROWS, ROWS_OF_MANY = 1000, 1_000_000
NEEDED = Needed(filtered=frozenset(["id"]), keyed=frozenset(["id", "size"]))
ANALYZE = "ANALYZE TABLE `shop`.`orders` COMPUTE STATISTICS FOR COLUMNS "


class Spark:
    """A connection to a table of three numbers that was never analyzed."""

    def __init__(self, provider="parquet", rows=None, sample=None, size=10, **confs):
        self.provider, self.rows, self.sample, self.size = provider, rows, sample, size
        self.values, self.ran, self.counts = confs, [], []
        self.confs = self

    def explicit(self, keys):
        return {key: self.values.get(key) for key in keys}

    def set(self, entry):
        self.values[entry.key] = entry.value

    def unset(self, key):
        del self.values[key]

    def query(self, sql):
        if self.provider is None:
            return []
        table = ("shop", "orders", "table", self.provider, "me", None, self.size, self.rows, self.sample)
        distinct = {"other": self.rows}
        return [
            (*table, at, name, "int", None, distinct.get(name), *(None,) * 3, False, None)
            for at, name in enumerate(("id", "size", "other"))
        ]

    def run(self, sql):
        if sql == "select count(*) from `shop`.`orders`":
            return [(ROWS_OF_MANY,)]
        self.counts.append(self.values.get(ROW_COUNT))
        self.ran.append(
            (sql.removeprefix(ANALYZE), self.values.get(HISTOGRAMS), self.values.get(HISTOGRAM_COLUMNS))
        )
        return []


@pytest.mark.parametrize(
    ("config", "session", "ran"),
    [
        (AnalyzeConfig(AUTO, 0), "true", ("`id`, `size`", "true", '["id"]')),
        (AnalyzeConfig(AUTO, 0), "false", ("`id`, `size`", "false", None)),
        (AnalyzeConfig(AUTO, 0), None, ("`id`, `size`", None, None)),
        (AnalyzeConfig(AUTO, 0, histograms=True), "true", ("`id`, `size`", "true", None)),
        (AnalyzeConfig(AUTO, 0, histograms=False), "true", ("`id`, `size`", "false", None)),
        (AnalyzeConfig(ALL, 0), "true", ("`id`, `size`, `other`", "true", None)),
        (AnalyzeConfig(("size",), 0), "true", ("`size`", "true", None)),
    ],
)
def test_histograms_are_of_columns_that_are_filtered(config, session, ran):
    spark = Spark(**{} if session is None else {HISTOGRAMS: session})
    analysis, _ = collect(spark, config, "shop", "orders", lambda columns: NEEDED, MODEL, ROWS)
    assert spark.ran == [ran]
    assert spark.values == ({} if session is None else {HISTOGRAMS: session})
    assert ", ".join(f"`{name}`" for name in analysis.columns) == ran[0]


@pytest.mark.parametrize(
    ("histograms", "some"), [(None, '["other"]'), (True, '["id", "size"]'), (False, '["other"]')]
)
def test_a_session_that_names_columns_for_histograms_is_asked_for_others_only_if_the_config_says_so(
    histograms, some
):
    named = {HISTOGRAMS: "true", HISTOGRAM_COLUMNS: '["other"]'}
    spark = Spark(**named)
    collect(spark, AnalyzeConfig(AUTO, 0, histograms), "shop", "orders", lambda columns: NEEDED, MODEL, ROWS)
    assert [(ran[0], ran[2]) for ran in spark.ran] == [("`id`, `size`", some)]
    assert spark.values == named


@pytest.mark.parametrize(
    ("provider", "reason"), [("delta", "Delta Lake collects"), (None, "is not in Spark's session catalog")]
)
def test_nothing_is_read_for_a_table_that_spark_can_not_analyze(provider, reason):
    skip = collect(
        Spark(provider),
        AnalyzeConfig(AUTO),
        "shop",
        "orders",
        lambda columns: pytest.fail(),
        MODEL,
        ROWS_OF_MANY,
    )
    assert reason in skip.reason
    assert skip.is_refusal


@pytest.mark.parametrize(
    ("config", "session", "rows", "table", "count"),
    [
        # what a model wrote
        (AnalyzeConfig(AUTO, 0, sample=0.1), {}, ROWS, {}, "1000"),
        (AnalyzeConfig(AUTO, 0), {SAMPLE: "0.1"}, ROWS, {}, "1000"),
        (AnalyzeConfig(AUTO, 0), {}, ROWS, {}, None),
        # what the footers of files say, instead of an earlier sample's estimate
        (AnalyzeConfig(AUTO, 0, sample=0.1), {}, None, {}, "1000000"),
        (AnalyzeConfig(AUTO, 0, sample=0.1), {}, None, {"rows": 7, "sample": 0.1}, "1000000"),
        # what ANALYZE counted, and what it estimated
        (AnalyzeConfig(AUTO, 0, sample=0.1), {}, None, {"rows": 7}, "7"),
        (AnalyzeConfig(AUTO, 0, sample=0.1), {}, None, {"provider": "csv", "rows": 7}, "7"),
        (AnalyzeConfig(AUTO, 0, sample=0.1), {}, None, {"provider": "csv", "rows": 7, "sample": 0.1}, None),
        (AnalyzeConfig(AUTO, 0, sample=0.1), {}, None, {"provider": "csv"}, None),
    ],
)
def test_a_sample_is_told_how_many_rows_there_are_where_that_is_known(config, session, rows, table, count):
    spark = Spark(**table, **session)
    collect(spark, config, "shop", "orders", lambda columns: NEEDED, MODEL, rows)
    assert spark.counts == [count]
    assert spark.values == session


@pytest.mark.parametrize(("size", "ran"), [(10, 0), (0, 1)])
def test_rows_that_are_in_no_file_may_have_changed_each_time(size, ran):
    spark = Spark("jdbc", rows=7, size=size)
    config = AnalyzeConfig(("other",), 0, sample=0.1)
    collect(spark, config, "shop", "orders", lambda columns: NEEDED, MODEL, may_have_changed=True)
    listed, *analyzed = spark.ran
    assert "NOSCAN" in listed[0] and len(analyzed) == ran
    assert spark.counts == [None] * (1 + ran)


@pytest.mark.parametrize("rows", [0, ROWS, ROWS_OF_MANY, None])
def test_a_column_that_the_table_lacks_is_named_however_small_the_table_is(rows):
    spark = Spark()
    with pytest.raises(
        ColumnError, match=r"analyze: 'sise' is not a column of .*orders.*Did you mean size\?"
    ):
        collect(spark, AnalyzeConfig(("id", "sise")), "shop", "orders", pytest.fail, MODEL, rows)
    assert spark.ran == []
