"""Verdicts of dynamic filters in words, and what to do about them. The texts are those of the extension's own code."""

import dataclasses
import re

import pytest

from build_support.builds import ROOT
from dbt.adapters.adaptive_spark.report.dynamic_filter_advice import Remedy, remedy, words
from dbt.adapters.adaptive_spark.report.run_results import DynamicFilter

NOTHING = {field.name: None for field in dataclasses.fields(DynamicFilter)}
SCALA = ROOT / "jvm/src/main/scala/io/adaptivespark/join"


def dynamic(verdict, **more):
    return DynamicFilter(
        **{**NOTHING, "scan": "c.shop.orders", "probe_key": "o.id", "build_key": "r.id", "verdict": verdict, **more}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (dynamic("filtered", kept=0.2), "Filtered."),
        (dynamic("filtered"), "Filtered."),
        (
            dynamic("filtered", kept=0.974),
            "Filtered in vain: 97.4% of the rows were left. If the scan has to wait for its keys and the next run leaves as many, the four "
            "queries after that do without them.",
        ),
        (dynamic("a hint says NO_DYNAMIC_FILTER"), "Not filtered: a hint says NO_DYNAMIC_FILTER."),
        (
            dynamic("the scan has 35449 bytes of files, less than spark.sql.dynamicFilter.minProbeSize"),
            "Not filtered: the scan has 35.4 kB of files, less than spark.sql.dynamicFilter.minProbeSize.",
        ),
        (
            dynamic(
                "the scan would wait for a build side that reads more than itself, 2912000000 bytes against 180400128"
            ),
            "Not filtered: the scan would wait for a build side that reads more than itself, 2.9 GB against 180.4 MB.",
        ),
    ],
)
def test_words(found, told):
    assert words(found) == told


def test_a_build_side_that_is_too_large():
    assert remedy(
        dynamic("the build side has 412118004 bytes, more than spark.sql.dynamicFilter.maxBuildSize")
    ) == Remedy(
        "Let joins read larger build sides for c.shop.orders",
        "The build side has 412.1 MB, more than spark.sql.dynamicFilter.maxBuildSize, so its keys were not read. Reading them takes "
        "time and memory of tasks and driver.",
        conf=("spark.sql.dynamicFilter.maxBuildSize", "512m"),
    )


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        ("spark.sql.exchange.reuse is false, so that the build side would run twice", ("spark.sql.exchange.reuse", "true")),
        ("the scan would wait for a build side that reads more than itself, 9 bytes against 8", "select {{ dynamic_filter_hint(on='orders') }} …"),
        ("keys of type DOUBLE can't be compared with what a file says of its values", None),
    ],
)  # fmt: skip
def test_lines_to_add(verdict, line):
    found = remedy(dynamic(verdict))
    assert (found.sql or found.conf) == line


def test_a_directory_is_no_alias():
    found = remedy(
        dynamic(
            "the scan would wait for a build side that reads more than itself, 9 bytes against 8",
            scan="/data/o'r d.d'r{{s",
        )
    )
    assert "on='drs'" in found.sql


@pytest.mark.parametrize(
    "verdict",
    [
        "filtered",
        "a hint says NO_DYNAMIC_FILTER",
        "nothing filters the build side, or only what filters the scan by its key, too",
        "the scan has 35449 bytes of files, less than spark.sql.dynamicFilter.minProbeSize",
        f"the build side has {10 * 2**30} bytes, more than spark.sql.dynamicFilter.maxBuildSize",
        "no scan below gives this key unchanged",
        "its format can't skip data by this column, or Spark does already",
        "its last two runs kept 97 % of the rows or more, too many to wait for its keys; it is tried again after 4 runs without it",
        "",
    ],
)
def test_nothing_is_to_be_done_about_the_rest(verdict):
    assert remedy(dynamic(verdict)) is None


@pytest.mark.parametrize(
    "text",
    [
        "bytes, more than spark.sql.dynamicFilter.maxBuildSize",
        "spark.sql.exchange.reuse is false",
        "the scan would wait for a build side that reads more than itself, ",
        "can't be compared with what a file says of its values",
    ],
)
def test_the_extension_says_so(text):
    sources = " ".join(file.read_text() for file in SCALA.rglob("*.scala"))
    assert text in re.sub(r"\s+", " ", sources)
