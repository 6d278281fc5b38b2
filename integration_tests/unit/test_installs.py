"""The combinations of versions that are installed, the steps of a trial, and the table of how they ended."""

import json
import sys

import pytest

from build_support import install_table, install_trial, try_installs
from build_support.builds import builds, version
from build_support.environments import find_python
from build_support.install_cells import Cell, cells, dbt_cores, pythons
from build_support.install_trial import Trial, environment, last_line, other_line, tried
from build_support.minimal_project import fault, write
from build_support.project import project

ALL = list(cells("3.11"))
SESSION = Cell("spark-4.1", "3.11", ("session",), spark="4.1")


def test_the_pythons_are_those_that_the_package_takes_from_the_oldest_on():
    assert f">={pythons()[0]}" == project()["requires-python"]
    assert pythons() == sorted(pythons(), key=lambda each: int(each.partition(".")[2]))


def test_each_minor_version_within_the_bounds_of_dbt_core_is_one():
    assert dbt_cores(["Jinja2>=3", "dbt-core>=1.10.5,<1.13", "dbt-spark>=1.9"]) == ["1.10", "1.11", "1.12"]
    assert dbt_cores()


def test_each_python_dbt_core_and_line_of_spark_is_installed():
    assert len({cell.name for cell in ALL}) == len(ALL)
    assert [cell.python for cell in ALL if cell.name.startswith("python-")] == pythons()
    assert [*(cell.dbt for cell in ALL if cell.dbt), dbt_cores()[-1]] == dbt_cores()
    assert [builds()[0].spark, *(cell.spark for cell in ALL if cell.spark)] == [
        each.spark for each in builds() if not each.jars
    ]
    assert {extra for cell in ALL for extra in cell.extras} == {
        "session",
        "delta",
        "iceberg",
        "thrift",
        "report",
    }
    assert () in [cell.extras for cell in ALL]


def test_pip_is_asked_for_no_more_than_the_cell_names():
    assert SESSION.requirements("a.whl") == ["a.whl[session]", "pyspark==4.1.*"]
    assert Cell("none", "3.11", (), dbt="1.10").requirements("a.whl") == ["a.whl", "dbt-core==1.10.*"]


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """A trial whose commands are answered by `answers`, and listed in `ran`."""

    def make(cell, has_parser=True, **answers):
        ran = []

        def run(self, command):
            line = " ".join(command[1:])
            ran.append(line)
            return next((answer for part, answer in answers.items() if part in line), (0, "[]"))

        monkeypatch.setattr(Trial, "run", run)
        return Trial(cell, "a.whl", tmp_path, has_parser), ran

    return make


def test_pip_alone_installs(trial):
    cell, ran = trial(SESSION)
    cell.install()
    assert ran == ["-m pip install --quiet a.whl[session] pyspark==4.1.*"]


def test_the_newest_dbt_core_is_installed_without_its_parser_where_that_cannot_be_had(trial):
    needed = json.dumps([f"{install_trial.PARSER}<1", "click>=8", "x; extra == 'y'"])
    cell, ran = trial(SESSION, has_parser=False, requires=(0, needed))
    cell.install()
    newest = dbt_cores()[-1]
    assert ran[0].endswith(f"a.whl[session] pyspark==4.1.* dbt-core<{newest}")
    assert ran[1].endswith(f"--no-deps dbt-core=={newest}.*")
    assert ran[-1].endswith("install --quiet click>=8 x; extra == 'y'")
    cell, ran = trial(Cell("dbt-1.10", "3.11", (), dbt="1.10"), has_parser=False)
    cell.install()
    assert len(ran) == 1


@pytest.mark.parametrize(
    ("has_parser", "line", "fails"), [(True, "", True), (False, "", False), (False, "b 1 requires c", True)]
)
def test_pip_check_may_miss_the_parser_alone_and_only_where_it_cannot_be_had(trial, has_parser, line, fails):
    said = f"dbt-core 1.12.6 requires {install_trial.PARSER}, which is not installed.\n{line}\n"
    cell, _ = trial(SESSION, has_parser, check=(1, said.rstrip()))
    if fails:
        with pytest.raises(install_trial.StepError):
            cell.check()
    else:
        cell.check()


@pytest.mark.parametrize(("dbt", "taken"), [("", "1.10.9"), ("1.10", "1.11.0"), ("1.10", "1.1.0")])
def test_a_dbt_core_that_is_not_the_cells_is_found(trial, dbt, taken):
    versions = json.dumps({"dbt-core": taken, "pyspark": ""})
    listed = (0, f"- adaptive_spark: {version()}")
    cell, _ = trial(Cell("dbt", "3.11", (), dbt=dbt), **{"--version": listed, "json": (0, versions)})
    with pytest.raises(
        install_trial.StepError, match=f"pip took dbt-core {taken}, not {dbt or dbt_cores()[-1]}"
    ):
        cell.tell()


def test_the_adapter_and_the_cells_dbt_core_are_what_dbt_lists(trial):
    versions = json.dumps({"dbt-core": f"{dbt_cores()[-1]}.3", "pyspark": ""})
    listed = f"installed: 1\n  - adaptive_spark: {version()} - Up to date!"
    trial(SESSION, **{"--version": (0, listed), "json": (0, versions)})[0].tell()
    with pytest.raises(install_trial.StepError, match="adaptive_spark"):
        trial(SESSION, **{"--version": (0, "- spark: 1.11.0"), "json": (0, versions)})[0].tell()


def test_without_an_extra_dbt_names_what_is_missing(trial):
    missing = f"Runtime Error\n  {install_trial._PYSPARK_MISSING}\n"
    cell, _ = trial(Cell("none", "3.11", ()), parse=(2, missing))
    cell.parse()


def test_no_step_follows_one_that_failed(trial):
    cell, ran = trial(SESSION, check=(1, "\x1b[31ma 1 requires b\x1b[0m\n\n"))
    said = []
    assert tried(cell, said.append) == (["pip install"], "pip check: a 1 requires b")
    assert "parse" not in " ".join(ran)


def test_what_is_installed_elsewhere_is_not_seen():
    given = {"PATH": "/bin", "PYTHONPATH": "/a", "SPARK_HOME": "/b", "PIP_CONSTRAINT": "c.txt"}
    assert set(environment(given)) & set(given) == {"PATH"}


def test_the_other_jar_is_of_another_scala_where_there_is_one(monkeypatch, tmp_path):
    class Jar:
        def __init__(self, spark, scala, there=True):
            self.spark, self.scala = spark, scala
            self.jar = tmp_path / f"{spark}.jar"
            if there:
                self.jar.touch()

    four, three = Jar("4.3", "2.13"), Jar("3.5", "2.12")
    monkeypatch.setattr(install_trial, "every_build", lambda: [four, Jar("4.1", "2.13"), three])
    assert other_line("4.3.0") is three
    assert other_line("3.5.9") is four
    monkeypatch.setattr(install_trial, "every_build", lambda: [four, Jar("3.4", "2.12", there=False), three])
    assert other_line("4.3.0") is three


def test_the_last_line_that_says_something_is_the_reason():
    assert last_line("Traceback\n\x1b[31mRuntime Error\x1b[0m\n  \n") == "Runtime Error"
    assert last_line("") == ""


def test_the_model_has_to_have_its_rows_and_a_filter_that_was_measured(tmp_path):
    target = write(tmp_path / "project") / "target"
    target.mkdir()

    def ended(status="success", rows=49_994, filters=((100_000, 49_994),)):
        listed = [{"rows_in": before, "rows_out": after} for before, after in filters]
        response = {"rows_affected": rows, "adaptive_filters": listed}
        content = {"results": [{"status": status, "adapter_response": response}]}
        (target / "run_results.json").write_text(json.dumps(content))
        return fault(tmp_path / "project")

    assert ended() == ""
    assert "did not succeed" in ended(status="error")
    assert "other rows" in ended(rows=3)
    assert "other rows" in ended(filters=())


RESULT = {
    "on": "2026-11-27",
    "versions": {"dbt-core": "1.12.6", "pyspark": "4.1.4"},
    "without_parser": False,
    "passed": ["pip install", "pip check"],
    "failed": "dbt parse: a | b",
}


def test_a_row_says_which_versions_pip_took_and_where_it_ended():
    _, _, row, other = install_table.rows(
        [SESSION, Cell("dbt-1.10", "3.11", (), dbt="1.10")], {"size": {}, "cells": {"spark-4.1": RESULT}}
    )
    assert row == "| 3.11 | `session` | 1.12.6 | 4.1.4 | 2 steps passed, then dbt parse: a   b | 2026-11-27 |"
    assert other == "| 3.11 | none | 1.10 |  | not run yet |  |"
    (*_, row) = install_table.rows(
        [SESSION], {"size": {}, "cells": {"spark-4.1": {**RESULT, "without_parser": True}}}
    )
    assert "| 1.12.6, no parser | 4.1.4 |" in row


def test_a_result_that_the_page_does_not_have_is_found(monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Before\n{install_table.BEGIN}\n{install_table.END}\nAfter\n")
    for name, value in {"PAGE": page, "RESULTS": tmp_path / "installs.json", "ROOT": tmp_path}.items():
        monkeypatch.setattr(install_table, name, value)
    assert install_table.main(["--check"]) == 1
    install_table.main([])
    assert install_table.main(["--check"]) == 0
    size = {"lines": 4, "wheel_mb": 6.5, "adds_mb": 70.1, "seconds": 9}
    install_table.RESULTS.write_text(json.dumps({"size": size, "cells": {ALL[0].name: RESULT}}))
    assert install_table.main(["--check"]) == 1
    assert "The wheel, with the jars of 4 lines of Spark, has 6.5 MB" in install_table.page()


def test_results_of_cells_that_are_gone_are_gone_and_of_those_that_were_not_run_stay():
    earlier = {"gone": 1, ALL[0].name: 2, ALL[1].name: 3}
    assert try_installs.merged(earlier, {ALL[1].name: 4}, ALL) == {ALL[0].name: 2, ALL[1].name: 4}


def test_a_combination_that_there_is_not_is_refused_with_those_that_there_are():
    assert try_installs.select([], ALL) == ALL
    assert try_installs.select(["thrift"], ALL) == [cell for cell in ALL if cell.name == "thrift"]
    with pytest.raises(SystemExit, match=r"No such combination: spark-9\. There are: python-"):
        try_installs.select(["spark-9"], ALL)


def test_a_python_is_looked_for_on_the_path_and_then_at_pyenv(monkeypatch, tmp_path):
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "shims"))

    def put(folder, said):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        python = tmp_path / folder / ("python3.7" if folder == "shims" else "python")
        python.write_text(f"#!/bin/sh\necho '{said}'\n")
        python.chmod(0o755)
        return str(python)

    assert find_python("3.7") is None
    put("versions/3.7.9/bin", "3.7")
    newest = put("versions/3.7.16/bin", "3.7")
    put("versions/3.7.17-dev/bin", "broken")
    put("shims", "pyenv: python3.7: command not found")
    assert find_python("3.7") == newest
    on_path = put("shims", "3.7")
    assert find_python("3.7") == on_path
    monkeypatch.undo()
    assert find_python(f"{sys.version_info.major}.{sys.version_info.minor}")


def test_every_python_got_a_spark_that_has_a_jar():
    ended = install_table.read()["cells"]
    lines = {build.spark for build in builds()}
    for cell in ALL:
        if cell.name in ended and "session" in cell.extras:
            taken = ended[cell.name]["versions"]["pyspark"]
            assert taken.rpartition(".")[0] in lines
            assert taken.startswith(cell.spark)
