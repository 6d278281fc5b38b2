"""Refusals of a Spark that would not work, before one is started."""

import zipfile

import pytest
from dbt.adapters.exceptions.connection import FailedToConnectError

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.start_spark import start_spark


def test_a_spark_home_that_this_pyspark_does_not_speak_to_is_refused_before_java_starts(
    tmp_path, monkeypatch
):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-2.4.8.jar").touch()
    jar = tmp_path / "ours.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("io/adaptivespark/build.properties", f"version={version}\nspark=2.4\nscala=2.12\n")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    with pytest.raises(FailedToConnectError, match=r"does not work with the Spark 2\.4 \(Scala 2\.12\) in"):
        start_spark(AdaptiveSparkCredentials(database=None, schema="s", jar=str(jar)))
