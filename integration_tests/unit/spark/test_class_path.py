"""Files of configuration that may be on Spark's class path."""

import os

import pytest

from dbt.adapters.adaptive_spark.spark import class_path
from dbt.adapters.adaptive_spark.spark.class_path import CLASS_PATH_KEY, may_have

NAME = "hive-site.xml"


@pytest.fixture
def folders(tmp_path):
    """Spark's own folder, and another that has the file."""
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / NAME).touch()
    return own, other


def test_a_folder_that_nobody_names_is_not_looked_in(folders):
    own, other = folders
    assert not may_have(NAME, {}, {}, own)
    assert may_have(NAME, {}, {}, other)
    assert not may_have(NAME, {}, {"HADOOP_CONF_DIR": str(own)}, own / "none")


@pytest.mark.parametrize("variable", ["HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_DIST_CLASSPATH"])
def test_a_folder_of_the_environment(folders, variable):
    own, other = folders
    assert may_have(NAME, {}, {variable: str(other)}, own)


def test_a_folder_of_the_drivers_class_path(folders):
    own, other = folders
    assert may_have(NAME, {CLASS_PATH_KEY: f"/a.jar{os.pathsep}{other}"}, {}, own)


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("export HADOOP_CONF_DIR=/etc/hadoop", True),
        ("export A=1", False),
        ("# - HADOOP_CONF_DIR, to point Spark at Hadoop's confs\n", False),
    ],
)
def test_a_script_that_names_folders(folders, text, may):
    own, _ = folders
    (own / "spark-env.sh").write_text(text)
    assert may_have(NAME, {}, {}, own) is may


def test_a_script_that_cannot_be_read_may_name_any(folders, monkeypatch):
    own, _ = folders

    def denied(_):
        raise PermissionError("spark-env.sh")

    monkeypatch.setattr(class_path, "script", denied)
    assert may_have(NAME, {}, {}, own)
