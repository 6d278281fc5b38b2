"""A model's configs: what is set from good ones, and the sentence for each bad one."""

import pytest
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_keys import conf_specs
from dbt.adapters.adaptive_spark.model.model_config import AdaptiveSparkConfig, ModelConfig

MODEL = "models/orders.sql"


def refused(**configs):
    with pytest.raises(DbtValidationError) as error:
        ModelConfig.of(configs, MODEL)
    return error.value.msg


def test_a_model_that_says_nothing_sets_nothing():
    assert (
        ModelConfig.of({"materialized": "table", "collect_rate": None, "spark_conf": None}, MODEL).entries
        == ()
    )


def test_each_config_sets_its_key():
    configs = {
        "momentum": 0.5,
        "collect_rate": 10,
        "calculate_rate": 1000,
        "adaptive_filter": False,
        "policy": "conditional",
        "initial_order": "written",
        "errors": "exact",
    }
    assert set(ModelConfig.of(configs, MODEL).entries) == {
        ConfEntry("spark.sql.adaptiveFilter.enabled", "false"),
        ConfEntry("spark.sql.adaptiveFilter.collectRate", "10"),
        ConfEntry("spark.sql.adaptiveFilter.calculateRate", "1000"),
        ConfEntry("spark.sql.adaptiveFilter.momentum", "0.5"),
        ConfEntry("spark.sql.adaptiveFilter.policy", "conditional"),
        ConfEntry("spark.sql.adaptiveFilter.initialOrder", "written"),
        ConfEntry("spark.sql.adaptiveFilter.errors", "exact"),
    }


@pytest.mark.parametrize("momentum", [0, 0.0, 1, 1.0])
def test_bounds_are_inclusive(momentum):
    assert ModelConfig.of({"momentum": momentum}, MODEL).entries[0].value == str(momentum)


def test_spark_conf_is_set_before_the_models_own_configs():
    configs = {
        "momentum": 0.5,
        "spark_conf": {"spark.a.b": True, "spark.a.c": 1, "spark.a.d": 0.5, "spark.a.e": "x"},
    }
    assert [(entry.key, entry.value) for entry in ModelConfig.of(configs, MODEL).entries] == [
        ("spark.a.b", "true"),
        ("spark.a.c", "1"),
        ("spark.a.d", "0.5"),
        ("spark.a.e", "x"),
        ("spark.sql.adaptiveFilter.momentum", "0.5"),
    ]


def test_spark_conf_values_are_not_interpreted():
    hostile = "1; drop table t -- ${env:HOME}\n`'\""
    assert ModelConfig.of({"spark_conf": {"spark.a.b": hostile}}, MODEL).entries == (
        ConfEntry("spark.a.b", hostile),
    )


def test_momentum_out_of_bounds():
    assert refused(momentum=1.5) == (
        "momentum: 1.5 is not a number in [0, 1] (models/orders.sql). Leave it out for the default, 0.3."
    )


@pytest.mark.parametrize("momentum", [float("nan"), float("inf"), -0.1])
def test_momentum_that_is_no_share(momentum):
    assert refused(momentum=momentum).startswith(f"momentum: {momentum} is not a number in [0, 1] ")


def test_collect_rate_zero():
    assert refused(collect_rate=0) == (
        "collect_rate: 0 is not auto or a whole number in [1, 2147483647] (models/orders.sql). Leave it out for the default, 1000."
    )


def test_calculate_rate_zero():
    assert refused(calculate_rate=0).startswith("calculate_rate: 0 is not auto or a whole number in [1, ")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("collect_rate", "1e2", "collect_rate: '1e2' is not auto or a whole number in [1, 2147483647]"),
        ("collect_rate", 1.5, "collect_rate: 1.5 is not auto or a whole number in [1, 2147483647]"),
        ("collect_rate", True, "collect_rate: True is not auto or a whole number in [1, 2147483647]"),
        ("momentum", "high", "momentum: 'high' is not a number in [0, 1]"),
        ("momentum", True, "momentum: True is not a number in [0, 1]"),
        ("adaptive_filter", "off", "adaptive_filter: 'off' is not true or false"),
        ("adaptive_filter", 1, "adaptive_filter: 1 is not true or false"),
    ],
)
def test_a_value_of_the_wrong_kind(name, value, words):
    assert refused(**{name: value}).startswith(f"{words} (models/orders.sql). Leave it out for the default, ")


def test_an_unknown_adaptive_config_gets_the_closest_name():
    assert refused(adaptive_filtre=True) == (
        "adaptive_filtre is not a config of adaptive_spark (models/orders.sql). Did you mean adaptive_filter?"
    )


def test_an_unknown_dynamic_config_gets_the_closest_name():
    assert refused(dynamic_filters=False) == (
        "dynamic_filters is not a config of adaptive_spark (models/orders.sql). Did you mean dynamic_filter?"
    )


def test_an_unknown_adaptive_config_like_no_other_gets_all_names():
    assert refused(adaptive_zzzzzzzzzzzzzz=True) == (
        "adaptive_zzzzzzzzzzzzzz is not a config of adaptive_spark (models/orders.sql). "
        "Known: adaptive_filter, collect_rate, calculate_rate, momentum, policy, initial_order, errors, "
        "dynamic_filter, filter_order, analyze, spark_conf."
    )


def test_spark_conf_that_is_no_dictionary():
    assert refused(spark_conf="spark.a=1") == (
        "spark_conf: 'spark.a=1' is not a dictionary (models/orders.sql). "
        "Write it as {'spark.sql.shuffle.partitions': 64}; in dbt_project.yml, as +spark_conf."
    )


@pytest.mark.parametrize(
    "key", ["spark.a;drop table t", "spark.a`", "spark.a=1 --", "spark.a\nb", "spark.${a}", 7]
)
def test_spark_conf_keys_that_are_none(key):
    assert refused(spark_conf={key: 1}) == (
        f"spark_conf: {key!r} is not a Spark conf key (models/orders.sql). Keys look like spark.sql.shuffle.partitions."
    )


def test_spark_conf_values_that_are_none():
    assert refused(spark_conf={"spark.a.b": [1, 2]}) == (
        "spark_conf: spark.a.b: [1, 2] is not text, a number or a boolean (models/orders.sql)."
    )


def test_a_secret_is_not_repeated_when_it_is_refused():
    assert refused(spark_conf={"spark.my.password": ["hunter2"]}) == (
        "spark_conf: spark.my.password: (hidden) is not text, a number or a boolean (models/orders.sql)."
    )


@pytest.mark.parametrize("name", ["queryTag", "runId"])
def test_the_adapters_own_keys_are_not_for_models(name):
    key = f"spark.sql.adaptiveFilter.{name}"
    assert refused(spark_conf={key: "x"}) == (
        f"spark_conf: {key} is set by the adapter itself (models/orders.sql). Leave it out."
    )


@pytest.mark.parametrize(
    ("configs", "on"),
    [
        ({}, True),
        ({"adaptive_filter": True}, True),
        ({"adaptive_filter": False}, True),
        ({"dynamic_filter": False}, True),
        ({"adaptive_filter": False, "dynamic_filter": False}, False),
        ({"spark_conf": {"spark.sql.adaptiveFilter.enabled": "False"}, "dynamic_filter": False}, False),
        ({"adaptive_filter": "False", "dynamic_filter": "false"}, False),
    ],
)
def test_a_model_learns_unless_it_switches_both_kinds_of_filters_off(configs, on):
    assert ModelConfig.of(configs, MODEL).learns is on


def test_an_unknown_key_in_our_namespace():
    assert refused(spark_conf={"spark.sql.adaptiveFilter.collectrate": 5}) == (
        "spark_conf: spark.sql.adaptiveFilter.collectrate is not a configuration of adaptive-spark "
        "(models/orders.sql). Did you mean spark.sql.adaptiveFilter.collectRate?"
    )


def test_spark_conf_of_a_folder_and_of_a_model_are_merged():
    merged = AdaptiveSparkConfig._merge_dicts(
        {"spark_conf": {"spark.a.b": 1, "spark.a.c": 1}}, {"spark_conf": {"spark.a.c": 2}}
    )
    assert merged == {"spark_conf": {"spark.a.b": 1, "spark.a.c": 2}}


def test_every_model_config_of_the_extension_is_one_of_dbts():
    names = {spec.model_config for spec in conf_specs() if spec.model_config is not None}
    assert names == {
        "adaptive_filter",
        "collect_rate",
        "calculate_rate",
        "momentum",
        "policy",
        "initial_order",
        "errors",
        "dynamic_filter",
    }
    assert names <= AdaptiveSparkConfig.__dataclass_fields__.keys()


def test_an_order_that_is_no_list_is_named():
    assert ModelConfig.of({"filter_order": ["a", "t.b"]}, MODEL).entries == ()
    for order in ("a", ["a", 1], {"a": 1}):
        assert f"filter_order: {order!r} is not a list of columns (models/orders.sql)" in refused(
            filter_order=order
        )


def test_analyze_is_read_with_the_rest():
    assert ModelConfig.of({"analyze": ["a"]}, MODEL).analyze.columns == ("a",)
    assert ModelConfig.of({}, MODEL).analyze is None
    assert "analyze: 'some' is neither" in refused(analyze="some")
