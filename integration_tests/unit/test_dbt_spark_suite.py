"""The comparison of two adapters by dbt-spark's own tests."""

import io
import subprocess
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from build_support import dbt_spark_suite
from build_support.dbt_spark_suite import compared, lines, suite

ENDED = {
    "spark": {"t: both": "passed", "t: theirs": "passed", "t: ours": "failed", "t: none": "skipped"},
    "adaptive_spark": {"t: both": "passed", "t: theirs": "skipped", "t: ours": "passed", "t: none": "failed"},
}


def test_what_passes_with_one_adapter_alone_is_named():
    assert compared(ENDED) == {"spark": ["t: theirs"], "adaptive_spark": ["t: ours"]}


def test_a_test_that_one_adapter_did_not_run_passes_with_the_other_alone():
    assert compared({"spark": {"t: lost": "passed"}, "adaptive_spark": {}})["spark"] == ["t: lost"]


def test_the_section_counts_and_names_them():
    found = list(lines({"dbt_spark": "1.11.0", "spark": "4.1.4", "tests": ENDED}))
    assert found[2:4] == ["| dbt-spark | 2 | 1 | 1 |", "| dbt-adaptive-spark | 2 | 1 | 1 |"]
    assert found[5:] == [
        "These are the tests of dbt-spark 1.11.0, on Spark 4.1.4.",
        *("", "With dbt-spark alone pass:", "", "- `t: theirs`"),
        *("", "With dbt-adaptive-spark alone pass:", "", "- `t: ours`"),
    ]
    same = {type_: {"a.b.t: it": "passed"} for type_ in ("spark", "adaptive_spark")}
    assert [*lines({"dbt_spark": "1", "spark": "4", "tests": same})][-1] == (
        "With dbt-adaptive-spark alone passes none."
    )


def test_a_run_fails_where_a_test_passes_with_dbt_spark_alone(tmp_path, monkeypatch, capsys):
    for name in ("RESULTS", "PAGE"):
        monkeypatch.setattr(dbt_spark_suite, name, tmp_path / name)
    dbt_spark_suite.PAGE.write_text(f"{dbt_spark_suite.BEGIN}{dbt_spark_suite.END}")
    assert "Not run yet." in dbt_spark_suite.page()
    monkeypatch.setattr(dbt_spark_suite, "suite", lambda _: tmp_path)
    ended = dict(ENDED)
    monkeypatch.setattr(dbt_spark_suite, "ended", lambda type_, *_: ended[type_])
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0))
    assert dbt_spark_suite.main([]) == 1
    assert "Passes with dbt-spark alone: t: theirs" in capsys.readouterr().out
    assert "| dbt-spark | 2 | 1 | 1 |" in dbt_spark_suite.PAGE.read_text()
    assert dbt_spark_suite.main(["--check"]) == 0
    ended["spark"] = ended["adaptive_spark"]
    assert dbt_spark_suite.main([]) == 0
    written = dbt_spark_suite.RESULTS.read_text()
    for spark, sentence in (
        ({"t: both": "passed"}, "same tests"),
        (dict.fromkeys(ended["spark"], "failed"), "No test passed"),
    ):
        ended["spark"] = spark
        with pytest.raises(SystemExit, match=sentence):
            dbt_spark_suite.main([])
    assert dbt_spark_suite.RESULTS.read_text() == written


def test_a_source_distribution_is_fetched_once(tmp_path, monkeypatch):
    fetched = []

    def download(command, **_):
        fetched.append(command[-1])
        with tarfile.open(Path(command[command.index("--dest") + 1], "sources.tar.gz"), "w:gz") as archive:
            member = tarfile.TarInfo("dbt_spark-9.9.9/tests/functional/conftest.py")
            archive.addfile(member, io.BytesIO())

    monkeypatch.setattr(dbt_spark_suite, "ROOT", tmp_path)
    monkeypatch.setattr(subprocess, "run", download)
    for _ in range(2):
        assert (suite("9.9.9") / "tests" / "functional" / "conftest.py").is_file()
    assert fetched == ["dbt-spark==9.9.9"]


@pytest.mark.parametrize(("code", "has_report"), [(1, False), (2, True), (-9, True)])
def test_pytest_that_did_not_end_is_a_sentence(tmp_path, monkeypatch, code, has_report):
    report = tmp_path / "build" / "test-reports" / "dbt-spark-spark.xml"
    report.parent.mkdir(parents=True)

    def ran():
        if has_report:
            report.write_text("<testsuite/>")
        return SimpleNamespace(returncode=code)

    monkeypatch.setattr(dbt_spark_suite, "ROOT", tmp_path)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: ran())
    monkeypatch.setattr(dbt_spark_suite, "spark_jars", lambda _: tmp_path / "jars")
    monkeypatch.setattr(dbt_spark_suite, "format_jars", lambda _: [])
    with pytest.raises(SystemExit, match=r"did not run 1\.0 to its end with dbt-spark"):
        dbt_spark_suite.ended("spark", tmp_path / "1.0", None)
