"""The adapter refuses exactly those texts of the extension's conf keys that Spark refuses."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.conf.conf_keys import (
    MEMORY_NAMESPACE,
    OF_ADAPTER,
    ROW_COUNT,
    ConfSpec,
    conf_specs,
)

EXAMPLES = int(os.environ.get("EQUALITY_EXAMPLES", "150"))
# Spark is not told the bounds of those that are other ones in each run, and no SET changes those of administrators.
SPECS = [
    spec
    for spec in conf_specs()
    if (spec.key not in OF_ADAPTER or spec.key == ROW_COUNT) and not spec.key.startswith(MEMORY_NAMESPACE)
]

# What numbers, sizes, lists and words are made of in Java, Python and JSON; digits and letters of other scripts, which
# either may take for those; blanks that only one of them strips.
PIECES = (
    *"0123456789+-.eEfFdDlLxXpP_,kKmMgGtTbBauto",
    *("true", "false", "auto", "AUTO", "NaN", "nan", "Infinity", "-inf", "0x1p3", "1_000", "2147483648"),
    *(
        '"a"',
        '["a"]',
        '["a"]x',
        '["a"] []',
        '["a",]',
        "\ufeff[]",
        "[]",
        "{}",
        "[1]",
        "null",
        "[",
        "]",
        '"',
        "'",
        "\\u0061",
        "\\",
        "/*",
        "${x}",
    ),
    *(" ", "\t", "\n", "\r", "\0", "\x0b", "\x1f", "\x7f", "\x85", "\xa0", "\u2003", "\u3000", "\ufeff"),
    *("٣", "१", "²", "½", "\uff11", "\u212a", "\u017f", "\u0131", "İ", "−", "∞", "\U0001d7d9"),
)
NUMBERS = st.one_of(
    st.integers().map(str),
    st.integers(-5, 5000).map(str),
    st.floats().map(str),
    st.floats(0, 1).map(lambda number: f"{number:.{20}g}"),
    st.decimals(allow_nan=True, allow_infinity=True).map(str),
    st.integers(0, 10**20).map(lambda number: f"{number:+d}"),
)
SIZES = st.builds(
    "{}{}".format, st.integers(0, 10**19), st.sampled_from(["", *"bkmgtpBKMGTP", "kb", "Gb", "eb"])
)
LISTS = st.lists(st.text(max_size=3) | st.integers() | st.none(), max_size=3).map(
    lambda names: "[" + ", ".join(f'"{name}"' for name in names) + "]"
)


def texts(spec: ConfSpec) -> st.SearchStrategy[str]:
    """Texts of which a good part is near to what the key accepts."""
    near = st.sampled_from([*spec.values, str(spec.default), str(spec.default).upper(), ""])
    matching = st.nothing() if spec.pattern is None else st.from_regex(spec.pattern)
    random = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
    anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    core = st.one_of(near, matching, NUMBERS, SIZES, LISTS, random, anything)
    blanks = st.sampled_from(["", "", "", " ", "\t\n", "\0", "\xa0", "\u2003", "\x85", "\x1c"])
    return st.builds("{}{}{}".format, blanks, core, blanks)


def refuses(spark: SparkSession, key: str, text: str) -> bool:
    try:
        spark.conf.set(key, text)
    except PySparkException as error:
        assert key in str(error) and "Leave it out for the default" in str(error)
        return True
    finally:
        spark.conf.unset(key)
    return False


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.key)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(data=None)
@given(data=st.data())
def test_the_adapter_refuses_what_spark_refuses(
    spark: SparkSession, spec: ConfSpec, data: st.DataObject | None
) -> None:
    given_texts = PIECES if data is None else (data.draw(texts(spec)),)
    differing = [
        text for text in given_texts if refuses(spark, spec.key, text) != (spec.text_fault(text) is not None)
    ]
    assert differing == []


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.key)
def test_spark_and_the_adapter_say_the_same_of_a_wrong_text(spark: SparkSession, spec: ConfSpec) -> None:
    fault = spec.text_fault("what?")
    assert fault is not None
    with pytest.raises(PySparkException, match=re.escape(f"It must be {fault.removeprefix('is not ')}.")):
        spark.conf.set(spec.key, "what?")
