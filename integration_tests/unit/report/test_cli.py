"""The command: one file, whole or not at all, and a sentence where it can't be."""

import re
import sys

import pytest
import shop
from click.testing import CliRunner

from dbt.adapters.adaptive_spark.cli import main
from dbt.adapters.adaptive_spark.conf.extras import pip_install


@pytest.fixture
def target(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DBT_TARGET_PATH", raising=False)
    return shop.write(tmp_path / "target", shop.artifacts())


def command(*arguments):
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def test_it_writes_a_page_beside_the_artifacts(target):
    done = command()
    # nearly all of it is plotly, of whatever version
    wrote = re.fullmatch(r"Wrote target/adaptive_spark_report\.html \(4\.\d MB\)\.\n", done.output)
    assert (done.exit_code, wrote is not None) == (0, True), done.output
    page = (target / "adaptive_spark_report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "plotly.js v" in page
    assert {each.name for each in target.iterdir()} == {*shop.artifacts(), "adaptive_spark_report.html"}


def test_another_place_for_the_page(target, tmp_path):
    assert command("--output", tmp_path / "public" / "index.html").exit_code == 0
    assert (tmp_path / "public" / "index.html").is_file()


def test_another_target_path_by_option_and_by_dbts_variable(target, tmp_path, monkeypatch):
    target.rename(tmp_path / "elsewhere")
    assert command("--target-path", tmp_path / "elsewhere").exit_code == 0
    monkeypatch.setenv("DBT_TARGET_PATH", "elsewhere")
    assert command().exit_code == 0


def test_manifest_and_catalog_from_another_folder(target, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("manifest.json", "catalog.json"):
        (target / name).rename(docs / name)
    assert command().exit_code == 1
    assert command("--docs-path", docs).exit_code == 0


def test_names_with_half_a_character_are_written(target):
    files = shop.artifacts()
    files["manifest.json"]["nodes"]["model.shop.orders"]["name"] = "half \ud800"
    shop.write(target, files)
    assert command().exit_code == 0


def test_a_missing_artifact_is_one_sentence_and_nothing_is_written(target):
    (target / "run_results.json").unlink()
    done = command()
    assert done.exit_code == 1
    assert done.output == (
        "Error: target/run_results.json is missing: `dbt build` makes it. If dbt writes its artifacts elsewhere, say --target-path.\n"
    )
    assert not (target / "adaptive_spark_report.html").exists()


def test_an_earlier_page_stays_where_a_new_one_can_not_be_made(target):
    assert command().exit_code == 0
    before = (target / "adaptive_spark_report.html").read_bytes()
    (target / "manifest.json").write_text("{")
    assert command().exit_code == 1
    assert (target / "adaptive_spark_report.html").read_bytes() == before


def test_a_place_that_can_not_be_written(target, tmp_path):
    (tmp_path / "file").write_text("")
    done = command("--output", tmp_path / "file" / "page.html")
    assert done.exit_code == 1
    assert done.output == (
        f"Error: {tmp_path / 'file' / 'page.html'} cannot be written: File exists. Say another place with --output.\n"
    )


def test_a_page_that_can_not_be_finished_leaves_nothing_behind(target, monkeypatch):
    def full(self, content):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    done = command()
    assert done.exit_code == 1
    assert "cannot be written: No space left on device." in done.output
    assert {each.name for each in target.iterdir()} == {*shop.artifacts()}


def test_without_plotly_it_says_how_to_get_it(target, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    done = command()
    assert done.exit_code == 1
    assert done.output == f"Error: The report's charts need plotly: {pip_install('report')}\n"
