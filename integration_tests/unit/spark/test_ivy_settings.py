"""Where Spark looks for the jars that it fetches."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from dbt.adapters.adaptive_spark.spark import start_spark
from dbt.adapters.adaptive_spark.spark.installation import SparkLine
from dbt.adapters.adaptive_spark.spark.ivy_settings import REPOSITORIES_KEY, SETTINGS_KEY, hosts_first
from dbt.adapters.adaptive_spark.spark.table_formats import PACKAGES_KEY, Start

LOCAL = "file:${user.home}/.m2/repository/"
LINE = SparkLine("4.1", "2.13")


@pytest.fixture(autouse=True)
def no_host(monkeypatch):
    monkeypatch.delenv("DEFAULT_ARTIFACT_REPOSITORY", raising=False)


def text(folder, **confs):
    (uri,) = hosts_first(confs, folder).values()
    return Path(unquote(urlsplit(uri).path)).read_text()


def places(folder, repositories=""):
    """The roots in the order in which Spark asks them."""
    settings = ElementTree.fromstring(text(folder, **{REPOSITORIES_KEY: repositories}))
    assert settings.find("settings").get("defaultResolver") == settings.find("resolvers/chain").get("name")
    return [place.get("root") for place in settings.findall("resolvers/chain/ibiblio")]


def test_mavens_folder_comes_after_all_hosts(tmp_path):
    mirrors = "https://mirror/m2?a=1&b=<2>,https://other"
    expected = ["https://repo1.maven.org/maven2/", *mirrors.split(","), LOCAL]
    assert places(tmp_path / "of ivy", mirrors) == expected


def test_passwords_are_not_written(tmp_path, monkeypatch):
    monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", "https://ann:hunter2@mirror")
    found = places(tmp_path, "https://bob:hunter2@other,https://third")
    assert found == ["${env.DEFAULT_ARTIFACT_REPOSITORY}", "https://third", LOCAL]


def test_settings_of_the_user_stay(tmp_path):
    assert hosts_first({SETTINGS_KEY: "/theirs.xml"}, tmp_path) == {}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "wanted", "are_told"),
    [
        ({}, {PACKAGES_KEY: "io.delta:delta:1"}, True),
        ({}, {"spark.jars": "/fetched.jar"}, False),
        ({PACKAGES_KEY: "a:b:1"}, {PACKAGES_KEY: "a:b:1,io.delta:delta:1"}, False),
    ],
    ids=["to fetch", "fetched", "the user's own packages"],
)
def test_spark_is_told_where_it_fetches_nothing_but_formats(tmp_path, given, wanted, are_told):
    confs = {"spark.jars.ivy": str(tmp_path), **given}
    told = start_spark._places_of_jars(confs, Start({**confs, **wanted}), LINE)
    assert list(told) == ([SETTINGS_KEY] if are_told else [])


def test_a_folder_that_cannot_be_written_leaves_spark_to_look_where_it_does(tmp_path):
    (tmp_path / "file").touch()
    confs = {"spark.jars.ivy": str(tmp_path / "file")}
    assert start_spark._places_of_jars(confs, Start({PACKAGES_KEY: "io.delta:delta:1"}), LINE) == {}
