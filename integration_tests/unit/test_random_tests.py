"""Kinds of random tests by line, and how many cases the page says were tried."""

import json
from dataclasses import replace

import pytest

from build_support import line_table, random_tests
from build_support.builds import builds
from build_support.line_table import add_random, random_rows, saved, set_random
from build_support.outcomes import Outcome
from build_support.random_tests import Kind, kinds
from build_support.spark_tests import written


@pytest.fixture
def line(monkeypatch, tmp_path):
    monkeypatch.setattr(line_table, "RESULTS", tmp_path)
    return replace(builds()[0], spark="4.1", pyspark="4.1.4", scala="2.13")


def names(line):
    return [kind.name for kind in kinds(line)]


def test_formats_are_tried_where_they_have_a_release(line):
    of_delta, of_iceberg = (
        [f"{format_}-{cases}" for cases in ("trees", "joins", "merges")] for format_ in ("delta", "iceberg")
    )
    assert names(line) == ["trees", "joins", *of_delta, *of_iceberg]
    assert names(replace(line, spark="4.2")) == ["trees", "joins", *of_delta]
    assert names(replace(line, spark="4.3")) == ["trees", "joins"]


@pytest.mark.parametrize("kind", [Kind("trees"), *(Kind(cases, "delta") for cases in ("joins", "merges"))])
def test_a_kind_is_a_suite_that_is_there(kind):
    folder, _, name = kind.suite.removeprefix("io.adaptivespark.").rpartition(".")
    suites = line_table.ROOT / "jvm" / "src" / "test" / "scala" / "io" / "adaptivespark"
    assert (suites / folder.replace(".", "/") / f"{name}.scala").is_file()


@pytest.mark.parametrize(
    ("kind", "asked", "tried"), [("trees", 1050, 1000), ("trees", 20, 100), ("merges", 1004, 1000)]
)
def test_what_is_counted_is_what_is_tried(kind, asked, tried):
    assert Kind(kind).whole(asked) == tried
    assert Kind("joins").whole(asked) == asked


def test_trees_are_tried_with_ansi_on_and_off():
    assert Kind("trees").environment(1000, 7) == {"TREES": "500", "SEED": "7", "HOTSPOT": "full"}
    assert Kind("merges", "iceberg").environment(1000, 7)["MERGES"] == "1000"


def test_cases_add_up_and_suites_keep_them(line):
    add_random(line, "joins", 1000, "abc1234")
    add_random(line, "joins", 500, "def5678")
    set_random(line, "tpcds", 309, "abc1234")
    set_random(line, "tpcds", 309, "def5678")
    file = written({"engine": Outcome(passed=3)}, line, "abc1234")
    add_random(line, "delta-merges", 20000, "abc1234")
    own, delta, iceberg = list(random_rows({line: json.loads(file.read_text())}))[2:]
    assert own == "| 4.1 | 2.13 | Spark's own | none yet | 1,500 at `def5678` |  | 309 at `def5678` |"
    assert delta == "| 4.1 | 2.13 | Delta Lake | none yet | none yet | 20,000 at `abc1234` |  |"
    assert iceberg.startswith("| 4.1 | 2.13 | Apache Iceberg | none yet |")
    assert saved(line)["suites"]["engine"]["passed"] == 3


def test_what_differed_or_is_repeated_is_not_added(line, monkeypatch):
    codes = iter([0, 1, 0])
    monkeypatch.setattr(random_tests, "_run", lambda *_: next(codes))
    monkeypatch.setenv("CASES", "40")
    monkeypatch.delenv("SEED", raising=False)
    assert random_tests._tried(line, Kind("joins"), "abc1234") == 0
    assert random_tests._tried(line, Kind("joins"), "def5678") == 1
    monkeypatch.setenv("SEED", "7")
    assert random_tests._tried(line, Kind("joins"), "def5678") == 0
    assert saved(line)["random"] == {"joins": {"cases": 40, "commit": "abc1234"}}


def test_a_kind_that_a_line_does_not_have_is_refused_with_those_that_it_has(monkeypatch):
    monkeypatch.setenv("SPARK", "4.3")
    monkeypatch.delenv("SCALA", raising=False)
    with pytest.raises(SystemExit, match=r"4\.3_2\.13 has no delta-trees\. There are: trees, joins, tpcds\."):
        random_tests.main(["delta-trees"])
    monkeypatch.delenv("SPARK")
    with pytest.raises(SystemExit, match=r"make test-random SPARK=4\.1"):
        random_tests.main([])
