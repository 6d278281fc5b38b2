"""Each config that is wrong stops with its name, its value, what is allowed and where it stands."""

import math

import pytest
from dbt.adapters.spark.impl import SparkConfig
from dbt.artifacts import resources
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_keys import conf_fault
from dbt.adapters.adaptive_spark.model.model_config import AdaptiveSparkConfig, ModelConfig
from dbt.adapters.adaptive_spark.statistics.analyze_config import AnalyzeConfig

MODEL = "models/orders.sql"
NAN, INFINITE = math.nan, math.inf
BOOLEAN = "is not true or false"
RATE = "is not auto or a whole number in [1, 2147483647]"
SHARE = "is not a number in [0, 1]"

# By config: its default, and each wrong value with what is wrong with it. YAML reads off, no and on as booleans.
OF_THE_EXTENSION = {
    "adaptive_filter": (
        "true",
        [(each, BOOLEAN) for each in ("", "yes", "off", "on", "1", 1, 0, 0.5, NAN, [], [True], {})],
    ),
    "dynamic_filter": (
        "true",
        [(each, BOOLEAN) for each in ("", "none", "off", 0, ["orders"], {"orders": True})],
    ),
    "collect_rate": (
        "1000",
        [
            (each, RATE)
            for each in (
                "",
                "100.0",
                "0",
                "1,000",
                "automatic",
                1.5,
                100.0,
                NAN,
                INFINITE,
                True,
                False,
                [100],
                {},
            )
        ]
        + [(each, RATE) for each in (0, -1, 2**31)],
    ),
    "calculate_rate": (
        "1000000",
        [(each, RATE) for each in ("", "1e6", 1e6, True, False, [1])]
        + [(each, RATE) for each in (0, -5, 2**40)],
    ),
    "momentum": (
        "0.3",
        [(each, SHARE) for each in ("", "1.5", "50%", "high", "nan", True, False, [0.5], {})]
        + [(each, SHARE) for each in (1.5, -0.1, 2, -1, NAN, INFINITE, -INFINITE)],
    ),
    "policy": (
        "rank",
        [
            (each, "is not one of rank, conditional")
            for each in ("", "ranks", "RANK", True, False, 1, ["rank"], {})
        ],
    ),
    "initial_order": (
        "learned",
        [(each, "is not one of learned, written") for each in ("", "writen", True, False, 0, ["written"])],
    ),
    "errors": (
        "guarded",
        [
            (each, "is not one of guarded, exact")
            for each in ("", "exakt", "Exact", True, False, 1, ["exact"])
        ],
    ),
}
CASES_OF_THE_EXTENSION = [
    pytest.param(
        name,
        value,
        f"{name}: {value!r} {words} ({MODEL}). Leave it out for the default, {default}.",
        id=f"{name}-{value!r}",
    )
    for name, (default, wrong) in OF_THE_EXTENSION.items()
    for value, words in wrong
]

COLUMNS = "Write it as ['status', 't.amount']; leave it out for the order that is learned."
MODES = (
    "is neither off, auto, all nor a list of columns (models/orders.sql). Write it as auto, or as [id, day]."
)
MIN_ROWS = "is not a number of rows from 0 (models/orders.sql). Leave it out for the default, 100000."
HISTOGRAMS = "is neither true nor false (models/orders.sql). Leave it out for the session's, spark.sql.statistics.histogram.enabled."
SAMPLES = (
    "Leave it out for the session's, spark.sql.adaptiveStatistics.sample, or else all rows, "
    "of more than 2,000,000 some 1,000,000."
)
DICTIONARY = (
    "is not a dictionary (models/orders.sql). "
    "Write it as {'spark.sql.shuffle.partitions': 64}; in dbt_project.yml, as +spark_conf."
)
OTHERS = [
    *[("filter_order", each, f"filter_order: {each!r} is not a list of columns (models/orders.sql). {COLUMNS}")
      for each in ("", "a", 1, True, {"a": 1}, ["a", 1], [None])],
    ("filter_order", [], f"filter_order: [] names no column (models/orders.sql). {COLUMNS}"),
    ("filter_order", [""], f"filter_order: '' is not a column's name: a part of it is empty (models/orders.sql). {COLUMNS}"),
    ("filter_order", ["a", "t..b"], f"filter_order: 't..b' is not a column's name: a part of it is empty (models/orders.sql). {COLUMNS}"),
    ("filter_order", ["${x}"], f"filter_order: '${{x}}' is not a column's name: Spark would replace ${{...}} in it (models/orders.sql). {COLUMNS}"),
    *[("analyze", each, f"analyze: {each!r} {MODES}") for each in ("", "some", "AUTO", "no", True, 0, 1, NAN, [], ["id", 3], [""], [None])],
    ("analyze", {"columns": []}, f"analyze: [] {MODES}"),
    ("analyze", {"columns": "id"}, f"analyze: 'id' {MODES}"),
    ("analyze", {"min_row": 3}, "analyze: 'min_row' is not an option (models/orders.sql). Did you mean min_rows?"),
    ("analyze", {"Sample": 0.5}, "analyze: 'Sample' is not an option (models/orders.sql). Did you mean sample?"),
    ("analyze", {1: 0.5}, "analyze: 1 is not an option (models/orders.sql). Known: columns, min_rows, histograms, sample."),
    *[("analyze", {"min_rows": each}, f"analyze: min_rows: {each!r} {MIN_ROWS}") for each in (-1, 0.5, 1e5, NAN, True, "many", "-1", "1e5", "true", [1])],
    ("analyze", {"columns": False, "min_rows": -1}, f"analyze: min_rows: -1 {MIN_ROWS}"),
    *[("analyze", {"histograms": each}, f"analyze: histograms: {each!r} {HISTOGRAMS}") for each in ("", "yes", "1", 1, 0, ["id"])],
    *[("analyze", {"sample": each}, f"analyze: sample: {each!r} is not a number in [0.001, 1] (models/orders.sql). {SAMPLES}") for each in (0, -0.1, 1.5, 0.0001, 10, NAN, INFINITE)],
    *[("analyze", {"sample": each}, f"analyze: sample: {each!r} is not a number in [0.001, 1] (models/orders.sql). {SAMPLES}") for each in ("", "10%", "1.1", True, [0.1])],
    *[("spark_conf", each, f"spark_conf: {each!r} {DICTIONARY}") for each in ("", "spark.a=1", 1, True, [], ["spark.a.b"])],
    *[("spark_conf", {each: 1}, f"spark_conf: {each!r} is not a Spark conf key (models/orders.sql). Keys look like spark.sql.shuffle.partitions.") for each in ("", "spark", "spark.a;b", "spark..a", 7, None)],
    *[("spark_conf", {"spark.a.b": each}, f"spark_conf: spark.a.b: {each!r} is not text, a number or a boolean (models/orders.sql).") for each in (None, [1, 2], {"a": 1})],
    *[("spark_conf", {f"spark.sql.{each}": 0.5}, f"spark_conf: spark.sql.{each} is not a configuration of adaptive-spark (models/orders.sql). Did you mean spark.sql.adaptiveFilter.momentum?")
      for each in ("adaptivefilter.momentum", "ADAPTIVEFILTER.MOMENTUM", "adaptiveFilters.momentum", "adaptiveFiltre.momentum", "adaptiveFilter.Momentum", "adaptiveFilter.momentun")],
    ("spark_conf", {"spark.adaptiveFilter.momentum": 0.5}, "spark_conf: spark.adaptiveFilter.momentum is not a configuration of adaptive-spark (models/orders.sql). Did you mean spark.sql.adaptiveFilter.momentum?"),
    ("spark_conf", {"spark.sql.dynamicfilter.enabled": False}, "spark_conf: spark.sql.dynamicfilter.enabled is not a configuration of adaptive-spark (models/orders.sql). Did you mean spark.sql.dynamicFilter.enabled?"),
    ("spark_conf", {"spark.sql.adaptiveStatistic.sample": 0.1}, "spark_conf: spark.sql.adaptiveStatistic.sample is not a configuration of adaptive-spark (models/orders.sql). Did you mean spark.sql.adaptiveStatistics.sample?"),
    ("spark_conf", {"spark.sql.adaptiveFilter.momentum": "NaN"}, "spark_conf: spark.sql.adaptiveFilter.momentum: NaN is not a number in [0, 1] (models/orders.sql). Leave it out for the default, 0.3."),
    ("spark_conf", {"spark.sql.adaptiveFilter.enabled": "off"}, "spark_conf: spark.sql.adaptiveFilter.enabled: off is not true or false (models/orders.sql). Leave it out for the default, true."),
    ("spark_conf", {"spark.sql.dynamicFilter.maxRanges": 0}, "spark_conf: spark.sql.dynamicFilter.maxRanges: 0 is not a whole number in [1, 4096] (models/orders.sql). Leave it out for the default, 1024."),
    ("spark_conf", {"spark.sql.dynamicFilter.maxBuildSize": -1}, "spark_conf: spark.sql.dynamicFilter.maxBuildSize: -1 is not a number of bytes such as 512k, 256m or 1g (models/orders.sql). Leave it out for the default, 256m."),
    ("spark_conf", {"spark.sql.adaptiveStatistics.histogramColumns": "id"}, "spark_conf: spark.sql.adaptiveStatistics.histogramColumns: id is not a JSON list of names (models/orders.sql). Leave it out for the default, empty."),
    ("spark_conf", {"spark.sql.adaptiveStatistics.rowCount": 5}, "spark_conf: spark.sql.adaptiveStatistics.rowCount is set by the adapter itself (models/orders.sql). Leave it out."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "sentence"), [*CASES_OF_THE_EXTENSION, *OTHERS])
def test_a_wrong_config_stops_the_model(name, value, sentence):
    with pytest.raises(DbtValidationError) as error:
        ModelConfig.of({"materialized": "table", name: value}, MODEL)
    assert error.value.msg == sentence


def test_every_config_has_its_wrong_values():
    ours = (
        AdaptiveSparkConfig.__dataclass_fields__.keys()
        - AdaptiveSparkConfig.__base__.__dataclass_fields__.keys()
    )
    assert {*OF_THE_EXTENSION, *(name for name, *_ in OTHERS)} == ours


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("adaptive_filtre", "adaptive_filter"),
        ("adaptive_order", "adaptive_filter"),
        ("Adaptive_Filter", "adaptive_filter"),
        ("dynamic_filters", "dynamic_filter"),
        ("dynamicFilter", "dynamic_filter"),
        ("collectRate", "collect_rate"),
        ("calculate-rate", "calculate_rate"),
        ("Momentum", "momentum"),
        ("filterorder", "filter_order"),
        ("sparkConf", "spark_conf"),
    ],
)
def test_a_name_that_can_only_be_meant_as_a_config_of_ours_stops_the_model(name, meant):
    with pytest.raises(DbtValidationError) as error:
        ModelConfig.of({"materialized": "table", name: None}, MODEL)
    assert error.value.msg == f"{name} is not a config of adaptive_spark ({MODEL}). Did you mean {meant}?"


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("analyse", "analyze"),
        ("analyzer", "analyze"),
        ("colect_rate", "collect_rate"),
        ("calculate_rates", "calculate_rate"),
        ("momentun", "momentum"),
        ("moment", "momentum"),
        ("polici", "policy"),
        ("initial_orders", "initial_order"),
        ("error", "errors"),
        ("spark_config", "spark_conf"),
    ],
)
def test_a_name_that_merely_looks_like_a_config_of_ours_is_told_and_no_more(name, like):
    assert ModelConfig.of({name: None}, MODEL).doubtful == {
        name: f"{name} is not a config of adaptive_spark ({MODEL}). Did you mean {like}? "
        "If it is a config of your own, put it under meta."
    }


# each class of dbt's and of dbt-spark's that has configs of a node, with the classes that it extends
CONFIGS_OF_DBT = sorted(
    {
        name
        for config in [*(each for each in vars(resources).values() if isinstance(each, type)), SparkConfig]
        if config.__name__.endswith("Config")
        for name in getattr(config, "__dataclass_fields__", {})
    }
)


@pytest.mark.parametrize(
    "name",
    [
        *CONFIGS_OF_DBT,
        *(
            "order",
            "filter",
            "options",
            "on_error",
            "policies",
            "dynamic_schema",
            "dynamic_table",
            "analyze_columns",
        ),
    ],
)
def test_names_of_others_are_theirs(name):
    found = ModelConfig.of({name: "x"}, MODEL)
    assert (found.entries, found.doubtful) == ((), {})


@pytest.mark.parametrize(
    "key",
    [
        "spark.sql.adaptive.enabled",
        "spark.sql.statistics.size.autoUpdate.enabled",
        "spark.dynamicAllocation.enabled",
        "spark.sql.optimizer.dynamicPartitionPruning.enabled",
    ],
)
def test_keys_of_spark_are_sparks(key):
    assert ModelConfig.of({"spark_conf": {key: True}}, MODEL).entries[0].key == key


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        *[(name, text, text) for name in ("adaptive_filter", "dynamic_filter") for text in ("true", "False", " TRUE ")],
        *[(name, text, text) for name in ("collect_rate", "calculate_rate") for text in ("100", "auto", " 7 ")],
        *[("momentum", text, text) for text in ("0.5", "1", "1e-3", ".5")],
        *[("policy", "conditional", "conditional"), ("initial_order", "written", "written"), ("errors", "exact", "exact")],
    ],
)  # fmt: skip
def test_a_text_counts_as_spark_reads_it_since_env_var_gives_texts(name, text, value):
    [entry] = ModelConfig.of({name: text}, MODEL).entries
    assert entry.value == value
    assert conf_fault(entry.key, entry.value) is None


def test_texts_in_analyze_count_as_what_they_say():
    options = {"columns": "all", "min_rows": "100", "histograms": "True", "sample": "0.5"}
    assert ModelConfig.of({"analyze": options}, MODEL).analyze == AnalyzeConfig("all", 100, True, 0.5)
    assert ModelConfig.of({"analyze": "false"}, MODEL).analyze is None


@pytest.mark.parametrize("name", [*OF_THE_EXTENSION, "filter_order", "analyze", "spark_conf"])
def test_none_is_a_config_that_is_left_out(name):
    found = ModelConfig.of({name: None}, MODEL)
    assert (found.entries, found.analyze) == ((), None)
