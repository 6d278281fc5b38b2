"""The installed pyspark, known by its files, and an older one that lacks what the adapter imports."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark

from dbt.adapters.adaptive_spark.conf.installed_pyspark import pyspark_folder, pyspark_release

CONNECT = """

from threading import Lock
from types import SimpleNamespace

from dbt.adapters.adaptive_spark.connections import AdaptiveSparkConnectionManager
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials

manager = SimpleNamespace(lock=Lock(), _sessions=None)
credentials = AdaptiveSparkCredentials(database=None, schema="s")
try:
    AdaptiveSparkConnectionManager._command_sessions(manager, credentials)
except Exception as error:
    print(type(error).__name__, error.msg)
"""


def test_the_installed_pyspark_says_its_release_without_being_imported():
    assert pyspark_folder() == Path(pyspark.__file__).parent
    assert pyspark_release(pyspark_folder()) == pyspark.__version__


def test_a_folder_without_a_release_has_none(tmp_path):
    assert (pyspark_release(None), pyspark_release(tmp_path)) == ("", "")
    (tmp_path / "version.py").write_text("release = 4\n")
    assert pyspark_release(tmp_path) == ""


def test_a_pyspark_that_lacks_what_newer_ones_have_is_one_sentence(tmp_path):
    package = tmp_path / "pyspark"
    package.mkdir()
    (package / "__init__.py").write_text("class SparkConf: pass\nclass SparkContext: pass\n")
    (package / "version.py").write_text("__version__ = '3.3.4'\n")
    ran = subprocess.run(
        [sys.executable, "-c", CONNECT],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith(
        f"FailedToConnectError pyspark 3.3.4 in {package} does not work with Python 3."
    )
    assert "No module named 'pyspark." in ran.stdout
    assert "Put one that does in its place: `pip install 'pyspark" in ran.stdout
