"""Where Spark looks for the jars that it fetches."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dbt.adapters.adaptive_spark.spark.ivy_settings import SETTINGS_KEY, host_first


def places(folder):
    """The roots in the order in which Spark asks them."""
    (uri,) = host_first({}, folder).values()
    settings = ElementTree.parse(unquote(urlsplit(uri).path)).getroot()
    assert settings.find("settings").get("defaultResolver") == settings.find("resolvers/chain").get("name")
    return [place.get("root") for place in settings.findall("resolvers/chain/ibiblio")]


def test_mavens_folder_comes_after_its_host(tmp_path, monkeypatch):
    monkeypatch.delenv("DEFAULT_ARTIFACT_REPOSITORY", raising=False)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ann b"))
    host, local = places(tmp_path / "of ivy")
    assert host == "https://repo1.maven.org/maven2/"
    assert local == "file:///home/ann%20b/.m2/repository/"


def test_a_host_of_the_environment_is_asked_as_spark_asks_it(tmp_path, monkeypatch):
    monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", 'https://mirror/m"2?a=1&b=<2>')
    assert places(tmp_path)[0] == 'https://mirror/m"2?a=1&b=<2>'


def test_settings_of_the_user_stay(tmp_path):
    assert host_first({SETTINGS_KEY: "/theirs.xml"}, tmp_path) == {}
    assert not list(tmp_path.iterdir())
