"""The statements that collect a table's statistics, and the confs that each runs under."""

import pytest

from dbt.adapters.adaptive_spark.analyze import ALL, AUTO, HISTOGRAMS, AnalyzeConfig
from dbt.adapters.adaptive_spark.collect_statistics import collect
from dbt.adapters.adaptive_spark.conf_specs import HISTOGRAM_COLUMNS
from dbt.adapters.adaptive_spark.graph_use import Needed

ROWS, ROWS_OF_MANY = 1000, 1_000_000
NEEDED = Needed(filtered=frozenset(["id"]), keyed=frozenset(["id", "size"]))
ANALYZE = "ANALYZE TABLE `shop`.`orders` COMPUTE STATISTICS FOR COLUMNS "


class Spark:
    """A connection to a table of three numbers that was never analyzed."""

    def __init__(self, provider="parquet", **confs):
        self.provider, self.values, self.ran = provider, confs, []
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
        table = ("shop", "orders", "table", self.provider, "me", None, 10, None)
        nothing = (None,) * 5
        return [(*table, at, name, "int", *nothing, False) for at, name in enumerate(("id", "size", "other"))]

    def run(self, sql):
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
    analysis, _ = collect(spark, config, "shop", "orders", lambda columns: NEEDED, ROWS)
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
    collect(spark, AnalyzeConfig(AUTO, 0, histograms), "shop", "orders", lambda columns: NEEDED, ROWS)
    assert [(ran[0], ran[2]) for ran in spark.ran] == [("`id`, `size`", some)]
    assert spark.values == named


@pytest.mark.parametrize(
    ("provider", "reason"), [("delta", "Delta Lake collects"), (None, "is not in Spark's session catalog")]
)
def test_nothing_is_read_for_a_table_that_spark_can_not_analyze(provider, reason):
    skip = collect(
        Spark(provider), AnalyzeConfig(AUTO), "shop", "orders", lambda columns: pytest.fail(), ROWS_OF_MANY
    )
    assert reason in skip.reason
    assert skip.is_refusal
