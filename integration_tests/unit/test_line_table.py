import json
import subprocess
from collections import Counter
from dataclasses import replace

import pytest

from build_support import line_table, spark_tests
from build_support.builds import builds
from build_support.line_table import rows
from build_support.outcomes import Outcome


@pytest.fixture
def line():
    return replace(builds()[0], spark="4.0", pyspark="4.0.5", scala="2.13")


def test_a_line_without_results_has_not_been_run(line):
    *_, row = rows({line: {}})
    assert row.startswith("| 4.0 | 2.13 | `adaptive-spark_4.0_2.13.jar` | pyspark 4.0.5 | not run yet |")
    assert row.count("not run yet") == len(line_table.SUITES) + 2 * len(line_table.FORMATS)


def test_a_line_says_which_formats_have_no_release(line):
    *_, row = rows({replace(line, spark="4.2"): {}})
    assert row.endswith("| not run yet | no release |")


def test_a_row_says_what_passed_failed_and_was_skipped_and_the_reasons_follow(line, monkeypatch, tmp_path):
    monkeypatch.setattr(line_table, "RESULTS", tmp_path)
    skipped = Outcome(passed=1200, failed=("a: b: c",), skipped=Counter({"no MERGE": 2}))
    file = spark_tests.written({"scala": skipped, "engine": Outcome(passed=3)}, line, "abc1234")
    assert file == tmp_path / "4.0_2.13.json"
    _, _, row, *notes = rows({line: json.loads(file.read_text())})
    engine = "3 passed at `abc1234`"
    assert f"| 1,200 passed, 1 failed, 2 skipped at `abc1234` | not run yet | not run yet | {engine} |" in row
    assert notes[-1] == "| 4.0 | Scala suites | 2 | no MERGE |"


def test_suites_that_are_run_alone_leave_the_results_of_the_others(line, monkeypatch, tmp_path):
    monkeypatch.setattr(line_table, "RESULTS", tmp_path)
    spark_tests.written({"session": Outcome(passed=1), "engine": Outcome(passed=3)}, line, "abc1234")
    file = spark_tests.written({"session": Outcome(passed=2)}, line, "def5678")
    *_, row = rows({line: json.loads(file.read_text())})
    assert "| not run yet | 2 passed at `def5678` | not run yet | 3 passed at `abc1234` |" in row


SCALA_REPORT = """<testsuite>
<testcase classname="io.adaptivespark.formats.DeltaRowsSuite" name="a[1]"/>
<testcase classname="io.adaptivespark.formats.IcebergRowsSuite" name="b"><skipped/></testcase>
<testcase classname="io.adaptivespark.join.JoinSuite" name="of delta"/>
</testsuite>"""
SESSION_REPORT = """<testsuite>
<testcase classname="session.test_merge" name="test_keys[delta-1]"><failure message="lost"/></testcase>
<testcase classname="session.test_merge" name="test_keys[iceberg]"><skipped message="no release"/></testcase>
<testcase classname="session.test_other" name="test_delta[0]"/>
</testsuite>"""


@pytest.fixture
def reports(tmp_path):
    texts = {"scala": SCALA_REPORT, "session": SESSION_REPORT}
    for name, text in texts.items():
        (tmp_path / f"{name}.xml").write_text(text)
    return {"scala": [tmp_path / "scala.xml"], "session": [tmp_path / "session.xml"], "engine": []}


def test_the_tests_of_a_format_are_counted_by_themselves_too(line, reports):
    ended = spark_tests.outcomes(reports, line)
    assert {name: each.passed for name, each in ended.items()} == {
        "scala": 2,
        "session": 1,
        "delta": 1,
        "iceberg": 0,
    }
    assert (
        ended["delta"].failed == ended["session"].failed == ("session.test_merge: test_keys[delta-1]: lost",)
    )
    assert ended["iceberg"].skipped == {"b": 1, "no release": 1}


def test_what_is_skipped_for_lack_of_a_release_counts_nowhere(line, reports):
    ended = spark_tests.outcomes(reports, replace(line, spark="4.2"))
    assert ended.keys() == {"scala", "session", "delta"}
    assert [each.skipped for each in ended.values()] == [{}, {}, {}]


def test_what_runs_without_a_release_counts(line, reports):
    ended = spark_tests.outcomes(reports, replace(line, spark="4.3"))
    assert ended["session"].failed == ("session.test_merge: test_keys[delta-1]: lost",)


def test_a_format_is_not_told_of_after_some_of_its_suites(line, reports):
    assert spark_tests.outcomes({"session": reports["session"]}, line).keys() == {"session"}


def test_an_unknown_suite_is_refused_with_those_that_there_are(monkeypatch):
    monkeypatch.setenv("SPARK", "4.0")
    with pytest.raises(SystemExit, match=r"has no unit\. There are: scala, session"):
        spark_tests.main(["unit"])


def test_a_result_that_the_page_does_not_have_is_found(line, monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    marks = [line_table.BEGIN, line_table.END, line_table.BEGIN_RANDOM, line_table.END_RANDOM]
    page.write_text("\n".join(["Before", *marks, "After", ""]))
    for name, value in {"PAGE": page, "RESULTS": tmp_path, "ROOT": tmp_path}.items():
        monkeypatch.setattr(line_table, name, value)
    assert line_table.main(["--check"]) == 1
    line_table.main([])
    assert line_table.main(["--check"]) == 0
    assert page.read_text().startswith("Before\n") and page.read_text().endswith("\nAfter\n")
    spark_tests.written({"engine": Outcome(passed=7)}, builds()[0], "abc1234")
    assert line_table.main(["--check"]) == 1


@pytest.mark.parametrize("spark", [None, "", "all"])
def test_a_line_has_to_be_named(spark, monkeypatch):
    monkeypatch.delenv("SPARK", raising=False)
    if spark is not None:
        monkeypatch.setenv("SPARK", spark)
    with pytest.raises(SystemExit, match=r"make test-spark SPARK=4\.0"):
        spark_tests.main([])


def test_results_are_of_a_commit(monkeypatch, tmp_path):
    for command in (
        ["git", "init", "-q"],
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "Begin", "--allow-empty"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    monkeypatch.setattr(spark_tests, "ROOT", tmp_path)
    monkeypatch.setattr(line_table, "RESULTS", tmp_path / "tested")
    monkeypatch.setattr(line_table, "PAGE", tmp_path / "page.md")
    (tmp_path / "page.md").write_text("")
    assert len(spark_tests.commit()) >= 7
    (tmp_path / "change.py").write_text("")
    with pytest.raises(SystemExit, match=r"(?s)Commit first.*change\.py"):
        spark_tests.commit()


def test_a_line_has_the_pins_of_the_checkout_save_what_its_pyspark_decides(line, monkeypatch, tmp_path):
    (tmp_path / "constraints.txt").write_text("agate==1.9.1\npy4j==0.10.9.9\npyspark==4.3.0\n")
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.setattr(spark_tests, "ROOT", tmp_path)
    monkeypatch.setattr(spark_tests, "ensure", lambda *_: True)
    folder = spark_tests.environment(line)
    assert folder.with_name(f"{folder.name}.txt").read_text().split() == ["agate==1.9.1", "pyspark==4.0.5"]
