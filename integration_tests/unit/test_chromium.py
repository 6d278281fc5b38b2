"""The browser of the report's tests: found, installed, or asked for."""

import os

import pytest

from build_support import chromium
from build_support.needs import CHROMIUM
from build_support.test import stages


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(folder, name, script="exit 0"):
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize("name", ["chromium", "google-chrome"])
def test_one_that_is_there_is_taken(folder, name):
    path = program(folder, name)
    assert (chromium.chromium(), chromium.main()) == (path, 0)


def test_where_it_is_allowed_debians_is_installed(folder, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(
        folder, "apt-get", f'echo "$@" >> {folder}/said; [ "$2" = update ] || /bin/cp "$0" {folder}/chromium'
    )
    assert chromium.main() == 0
    assert (folder / "said").read_text().splitlines() == [
        "-qq update",
        "-qq install -y --no-install-recommends chromium",
    ]


def test_where_that_fails_it_says_so(folder, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(folder, "apt-get", "exit 100")
    assert chromium.main() == f"`apt-get -qq update` failed. {chromium.REMEDY}"


def test_others_are_told_what_to_install(folder, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    program(folder, "apt-get", "exit 100")
    assert chromium.main() == chromium.REMEDY


def test_it_is_looked_for_only_where_the_report_is_tested():
    assert [each.name for each in stages() if CHROMIUM in each.needs] == ["report"]
