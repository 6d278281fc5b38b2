"""A conf that a config of ours and `spark_conf` both set."""

import pytest
from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_keys import conf_specs
from dbt.adapters.adaptive_spark.model.config_places import ConfigPlaces
from dbt.adapters.adaptive_spark.model.model_config import ModelConfig

MODEL = "models/orders.sql"
MOMENTUM = "spark.sql.adaptiveFilter.momentum"
BOTH = {"momentum": 0.5, "spark_conf": {MOMENTUM: 0.9}}

# by config, two values that contradict each other
TWO = {
    "adaptive_filter": (True, False),
    "collect_rate": (10, "auto"),
    "calculate_rate": (100, 200),
    "momentum": (0.5, 0.9),
    "policy": ("rank", "conditional"),
    "initial_order": ("learned", "written"),
    "errors": ("guarded", "exact"),
    "dynamic_filter": (True, "false"),
}


def value_of(configs, *levels, call=None):
    """The momentum that Spark is told; `levels` are those of dbt_project.yml."""
    found = ModelConfig.of(configs, MODEL, ConfigPlaces(levels, call or {})).entries
    return {entry.key: entry.value for entry in found}.get(MOMENTUM)


@pytest.mark.parametrize(
    "spec", [each for each in conf_specs() if each.model_config], ids=lambda each: each.key
)
def test_two_values_for_one_conf_stop_the_model(spec):
    one, other = TWO[spec.model_config]
    with pytest.raises(DbtValidationError) as error:
        ModelConfig.of({spec.model_config: one, "spark_conf": {spec.key: other}}, MODEL)
    one, other = (str(each).lower() if isinstance(each, bool) else each for each in (one, other))
    assert error.value.msg == (
        f"{spec.model_config}: {one} and spark_conf: {spec.key}: {other} contradict each other ({MODEL}). Keep one."
    )


@pytest.mark.parametrize(
    ("option", "key", "one", "other"),
    [
        ("sample", "spark.sql.adaptiveStatistics.sample", 0.5, 0.1),
        ("histograms", "spark.sql.statistics.histogram.enabled", True, False),
    ],
)
def test_an_option_of_analyze_and_another_value_of_its_conf_stop_the_model(option, key, one, other):
    configs = {"analyze": {option: one}, "spark_conf": {key: other}}
    with pytest.raises(
        DbtValidationError, match=f"^Runtime Error\n  analyze: {option}: .* contradict each other"
    ):
        ModelConfig.of(configs, MODEL)
    nearer = ConfigPlaces([{"+analyze": {option: one}}])
    assert getattr(ModelConfig.of(configs, MODEL, nearer).analyze, option) is None
    farther = ConfigPlaces([{"+spark_conf": {key: other}}])
    assert getattr(ModelConfig.of(configs, MODEL, farther).analyze, option) == one


@pytest.mark.parametrize("other", [0.5, "0.5", "0.50", " 5e-1 "])
def test_equal_values_do_not_contradict_each_other(other):
    assert value_of({"momentum": 0.5, "spark_conf": {MOMENTUM: other}}) == "0.5"


def test_a_model_wins_over_the_spark_conf_of_its_project():
    assert value_of(BOTH, {"+spark_conf": {MOMENTUM: 0.9}}) == "0.5"


def test_the_spark_conf_of_a_model_wins_over_the_config_of_its_project():
    assert value_of(BOTH, {"+momentum": 0.5}) == "0.9"
    assert value_of(BOTH, {"momentum": 0.5}) == "0.9"


def test_a_folder_wins_over_the_project():
    assert value_of(BOTH, {"+spark_conf": {MOMENTUM: 0.9}}, {"+momentum": 0.5}) == "0.5"
    assert value_of(BOTH, {"+momentum": 0.5}, {"+spark_conf": {MOMENTUM: 0.9}}) == "0.9"


def test_one_level_of_the_project_may_not_contradict_itself():
    level = {"+momentum": 0.5, "+spark_conf": {MOMENTUM: 0.9}}
    with pytest.raises(DbtValidationError, match="contradict each other"):
        value_of(BOTH, level)
    with pytest.raises(DbtValidationError, match="contradict each other"):
        value_of(BOTH, {}, level)


def test_what_config_repeats_in_the_models_file_is_the_models_own():
    with pytest.raises(DbtValidationError, match="contradict each other"):
        value_of(BOTH, {"+momentum": 0.5}, call={"momentum": 0.5})
    with pytest.raises(DbtValidationError, match="contradict each other"):
        value_of(BOTH, {"+spark_conf": {MOMENTUM: 0.9}}, call={"spark_conf": {MOMENTUM: 0.9}})


def test_a_level_with_another_value_is_not_where_the_models_comes_from():
    with pytest.raises(DbtValidationError, match="contradict each other"):
        value_of(BOTH, {"+momentum": 0.1})
