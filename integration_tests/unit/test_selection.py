"""The tests that `make check` runs for a change: those of what changed and of what imports it."""

import pytest

from build_support import lint
from build_support.builds import ROOT
from build_support.check import chosen_stages, description, sources
from build_support.scala_reach import suites
from build_support.selection import OF_MACROS, ONE_MODEL, THROUGH_THE_JAR, Selection, select

MAIN = "jvm/src/main/scala/io/adaptivespark/"
SUITES = "jvm/src/test/scala/io/adaptivespark/"
ADAPTER = "dbt/adapters/adaptive_spark/"

SCALA = {
    f"{MAIN}AdaptiveSparkExtensions.scala": "import io.adaptivespark.conf.Keys\nimport io.adaptivespark.join.rule.Plan",
    f"{MAIN}conf/Keys.scala": "package io.adaptivespark.conf",
    f"{MAIN}hint/Hint.scala": "import io.adaptivespark.conf.Keys",
    f"{MAIN}join/rule/Plan.scala": "import io.adaptivespark.hint.{Hint, Names}",
    f"{MAIN}function/Done.scala": "package io.adaptivespark.function",
    f"{SUITES}SparkSuite.scala": "abstract class SparkSuite",
    f"{SUITES}RootSuite.scala": "class RootSuite extends SparkSuite",
    f"{SUITES}conf/KeysSuite.scala": "class KeysSuite",
    f"{SUITES}hint/HintSuite.scala": "class HintSuite extends SparkSuite",
    f"{SUITES}join/JoinTables.scala": "trait JoinTables",
    f"{SUITES}join/JoinSuite.scala": "abstract class Joins\n\nclass JoinSuite extends SparkSuite with JoinTables\n\nclass OuterJoinSuite extends SparkSuite",
    f"{SUITES}function/DoneSuite.scala": "class DoneSuite extends SparkSuite",
}
PYTHON = {
    f"{ADAPTER}response/numbers.py": "",
    f"{ADAPTER}response/run_stats.py": "from dbt.adapters.adaptive_spark.response.numbers import (\n    total,\n)",
    f"{ADAPTER}spark/remote.py": "",
    f"{ADAPTER}impl.py": "from dbt.adapters.adaptive_spark.response import run_stats",
    "integration_tests/session/test_statistics.py": "    from dbt.adapters.adaptive_spark.response.run_stats import f",
    "integration_tests/session/projects.py": "",
    "integration_tests/session/test_project.py": "from projects import dbt",
    "integration_tests/server/conftest.py": "from dbt.adapters.adaptive_spark.spark.remote import Remote",
    "integration_tests/server/test_http.py": "import pytest",
    "integration_tests/settings.py": "",
    "integration_tests/plugin.py": "from settings import memory",
    "integration_tests/functional/conftest.py": 'pytest_plugins = ["dbt.tests.fixtures.project", "plugin"]',
    "integration_tests/functional/test_seeds.py": "import pytest",
}
SOURCES = {**SCALA, **PYTHON}


def names(paths):
    return {path.rpartition(".")[2] for path in suites(paths, SCALA)}


def test_a_leaf_of_the_scala_code_is_checked_by_the_suites_of_its_package_and_of_the_root():
    assert names([f"{MAIN}function/Done.scala"]) == {"DoneSuite", "RootSuite"}


def test_scala_packages_that_import_a_changed_one_are_checked_too():
    assert names([f"{MAIN}conf/Keys.scala"]) == {
        "KeysSuite",
        "HintSuite",
        "JoinSuite",
        "OuterJoinSuite",
        "RootSuite",
    }
    assert names([f"{MAIN}join/rule/Plan.scala"]) == {"JoinSuite", "OuterJoinSuite", "RootSuite"}


def test_the_scala_root_is_checked_by_all_suites():
    every = {"RootSuite", "KeysSuite", "HintSuite", "JoinSuite", "OuterJoinSuite", "DoneSuite"}
    assert names([f"{MAIN}AdaptiveSparkExtensions.scala"]) == every


def test_a_changed_suite_runs_alone_and_a_changed_helper_by_what_uses_it():
    assert names([f"{SUITES}hint/HintSuite.scala"]) == {"HintSuite"}
    assert names([f"{SUITES}join/JoinTables.scala"]) == {"JoinSuite", "OuterJoinSuite"}
    assert names([f"{SUITES}SparkSuite.scala"]) == {
        "RootSuite",
        "HintSuite",
        "JoinSuite",
        "OuterJoinSuite",
        "DoneSuite",
    }


def test_a_suite_of_some_lines_of_spark_is_named_like_any_other():
    path = "jvm/src/test/spark-4.3+/io/adaptivespark/hint/NewSuite.scala"
    sources = {**SCALA, path: "class NewSuite extends SparkSuite"}
    assert suites([path], sources) == {"io.adaptivespark.hint.NewSuite"}
    assert "io.adaptivespark.hint.NewSuite" in suites([f"{MAIN}hint/Hint.scala"], sources)


def test_a_shim_is_checked_by_the_suites_of_what_imports_it_and_on_each_line():
    shim = "jvm/src/main/spark-4.1+/io/adaptivespark/shim/Shim.scala"
    sources = {**SCALA, shim: "package io.adaptivespark.shim"}
    sources[f"{MAIN}hint/Hint.scala"] += "\nimport io.adaptivespark.shim.Shim"
    assert "io.adaptivespark.hint.HintSuite" in suites([shim], sources)
    assert "spark-lines" in select([shim], sources).lint
    assert "spark-lines" not in select([f"{SUITES}hint/HintSuite.scala"], sources).lint


def test_a_scala_change_is_seen_through_the_jar_by_one_model_and_the_tests_of_its_package():
    selection = select([f"{MAIN}function/Done.scala"], SOURCES)
    assert selection.tests == {ONE_MODEL, "integration_tests/session/test_statistics.py"}
    assert selection.lint == {"scala", "spark-lines", "config-docs"}


def test_a_python_module_is_checked_by_the_test_files_that_reach_it():
    selection = select([f"{ADAPTER}response/numbers.py"], SOURCES)
    assert selection.tests == {
        "integration_tests/unit",
        "integration_tests/session/test_statistics.py",
        ONE_MODEL,
    }
    assert not selection.suites and "mypy" in selection.lint


def test_a_module_that_a_conftest_imports_is_checked_by_all_tests_below_it():
    selection = select([f"{ADAPTER}spark/remote.py"], SOURCES)
    assert selection.tests == {"integration_tests/unit", "integration_tests/server/test_http.py"}


def test_a_helper_of_tests_is_checked_by_those_that_import_it():
    tests = select(["integration_tests/session/projects.py"], SOURCES).tests
    assert tests == {"integration_tests/unit", "integration_tests/session/test_project.py"}


def test_a_helper_of_a_plugin_is_checked_by_all_tests_that_have_the_plugin():
    for helper in ("plugin", "settings"):
        tests = select([f"integration_tests/{helper}.py"], SOURCES).tests
        assert tests == {"integration_tests/unit", "integration_tests/functional/test_seeds.py"}


def test_a_deleted_module_is_checked_by_what_still_imports_it():
    left = {path: text for path, text in SOURCES.items() if not path.endswith("response/numbers.py")}
    assert ONE_MODEL in select([f"{ADAPTER}response/numbers.py"], left).tests


def test_a_macro_is_checked_by_one_model_and_its_own_tests():
    tests = select(["dbt/include/adaptive_spark/macros/seeds.sql"], SOURCES).tests
    assert tests == {"integration_tests/unit", ONE_MODEL, "integration_tests/functional/test_seeds.py"}


def test_a_page_of_the_docs_is_checked_as_markdown_and_by_unit_tests_which_read_it():
    selection = select(["docs/glossary.md"], SOURCES)
    assert selection == Selection(lint=frozenset({"markdown"}), tests=frozenset({"integration_tests/unit"}))


@pytest.mark.parametrize(
    "path",
    [
        "Makefile",
        "jvm/pom.xml",
        "pyproject.toml",
        "build_support/stages.py",
        "constraints.txt",
        "jvm/builds.json",
    ],
)
def test_what_builds_or_tests_all_of_it_is_checked_by_everything(path):
    selection = select([path, "docs/glossary.md"], SOURCES)
    assert path in selection.everything
    ran = {stage.name for stage in chosen_stages(selection)}
    assert ran >= {"ruff-check", "scala", "ScalaTest-joins", "ScalaTest-rest", "unit", "functional", "lowest"}


def test_each_stage_runs_the_chosen_files_of_its_folder_alone():
    tests = {"integration_tests/unit", ONE_MODEL, "integration_tests/session/test_cursor.py"}
    stages = {stage.name: stage for stage in chosen_stages(Selection(tests=frozenset(tests)))}
    assert {name: stage.command[3:] for name, stage in stages.items()} == {
        "session": ["integration_tests/session/test_cursor.py"],
        "functional": [ONE_MODEL],
        "unit": ["integration_tests/unit"],
    }


def test_what_is_left_out_is_named():
    told = description(["docs/glossary.md"], select(["docs/glossary.md"], SOURCES))
    (left_out,) = (line for line in told if line.startswith("Left out"))
    assert all(name in left_out for name in ("mypy", "session", "tpcds")) and "markdown" not in left_out


def test_the_tables_name_tests_packages_and_macros_that_there_are():
    here = sources()
    for file in (*THROUGH_THE_JAR.values(), *OF_MACROS.values(), ONE_MODEL.partition("::")[0]):
        assert file in here
    assert all((ROOT / MAIN / package).is_dir() for package in THROUGH_THE_JAR)
    assert all((ROOT / "dbt/include/adaptive_spark/macros" / macro).is_file() for macro in OF_MACROS)
    whole = select([f"{MAIN}history/Prior.scala", f"{ADAPTER}impl.py", "docs/index.md"], here)
    assert whole.lint <= {stage.name for stage in lint.STAGES}
