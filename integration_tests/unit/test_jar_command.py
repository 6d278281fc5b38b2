"""The command besides its report: the jar for a Spark that dbt does not start."""

from pathlib import Path

from click.testing import CliRunner
from dbt.adapters.exceptions.connection import FailedToConnectError

from dbt.adapters.adaptive_spark.cli import main
from dbt.adapters.adaptive_spark.spark import installation


def test_the_jar_for_a_spark_is_one_line(monkeypatch):
    monkeypatch.setattr(installation, "jar_for", lambda *asked: Path("/jars", *asked))
    done = CliRunner().invoke(main, ["jar", "--spark", "3.5", "--scala", "2.12"])
    assert (done.exit_code, done.output) == (0, "/jars/3.5/2.12\n")


def test_a_jar_that_there_is_not_is_one_sentence(monkeypatch):
    def none(*_):
        raise FailedToConnectError("There is none.")

    monkeypatch.setattr(installation, "jar_for", none)
    done = CliRunner().invoke(main, ["jar"])
    assert (done.exit_code, done.output) == (1, "Error: There is none.\n")
