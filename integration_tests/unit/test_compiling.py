"""Maven in the folder of a build: one process at a time; an empty folder where its classes are not of this build."""

import fcntl

import pytest

from build_support import compiling
from build_support.builds import builds


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "target" / "build"
    monkeypatch.setattr(compiling, "target", lambda _: folder)
    monkeypatch.setattr(compiling, "_beside_sources", lambda _: "pom and Java")
    return folder


def test_a_second_maven_waits_for_the_first(folder, monkeypatch):
    refused = []

    def maven(*_, **__):
        with folder.with_name("build.lock").open("w") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        refused.append(True)

    monkeypatch.setattr(compiling, "maven", maven)
    compiling.run_maven(builds()[0], "package")
    assert refused == [True]


def test_classes_stay_unless_something_beside_the_sources_changed(folder, monkeypatch):
    monkeypatch.setattr(compiling, "maven", lambda *_, **__: (folder / "A.class").touch())
    compiling.run_maven(builds()[0], "package")
    monkeypatch.setattr(compiling, "maven", lambda *_, **__: None)
    compiling.run_maven(builds()[0], "package")
    assert (folder / "A.class").exists()
    monkeypatch.setattr(compiling, "_beside_sources", lambda _: "another pom")
    compiling.run_maven(builds()[0], "package")
    assert not (folder / "A.class").exists()
