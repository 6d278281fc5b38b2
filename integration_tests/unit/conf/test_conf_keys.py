"""The extension's keys: what each accepts, told from text as Spark is given it."""

import pytest

from dbt.adapters.adaptive_spark.conf.conf_keys import conf_fault, conf_specs

ROOT = "spark.sql.adaptiveFilter."


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("enabled", "false"),
        ("enabled", " TRUE "),
        ("collectRate", "1"),
        ("momentum", "0"),
        ("momentum", "1e-3"),
        ("errors", "exact"),
        ("queryTag", "anything; -- at all"),
    ],
)
def test_good_values_have_no_fault(key, text):
    assert conf_fault(ROOT + key, text) is None


@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("enabled", "yes", "yes is neither true nor false. Leave it out for the default, true."),
        ("collectRate", "0", "0 is not in [1, 2147483647]. Leave it out for the default, 1000."),
        ("collectRate", "1.5", "1.5 is neither a whole number nor auto. Leave it out for the default, 1000."),
        ("momentum", "nan", "nan is not in [0, 1]. Leave it out for the default, 0.3."),
        ("momentum", "high", "high is not a number. Leave it out for the default, 0.3."),
        ("errors", "ignore", "ignore is not one of guarded, exact. Leave it out for the default, guarded."),
    ],
)
def test_a_bad_value_has_its_sentence(key, text, sentence):
    assert conf_fault(ROOT + key, text) == f"{ROOT}{key}: {sentence}"


@pytest.mark.parametrize(
    ("text", "is_list"),
    [("", True), ("[]", True), ('["a", "b, c"]', True), ("a", False), ("[1]", False), ("{}", False)],
)
def test_names_are_a_json_list(text, is_list):
    key = "spark.sql.adaptiveStatistics.histogramColumns"
    fault = f"{key}: {text} is not a JSON list of names. Leave it out for the default, empty."
    assert conf_fault(key, text) == (None if is_list else fault)


def test_other_peoples_keys_are_none_of_ours():
    assert conf_fault("spark.sql.shuffle.partitions", "many") is None


def test_every_default_is_a_value():
    assert {spec.key: spec.fault(spec.default) for spec in conf_specs()} == dict.fromkeys(
        spec.key for spec in conf_specs()
    )
