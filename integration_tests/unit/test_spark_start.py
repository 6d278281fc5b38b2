"""Spark's start by the connection manager: when, with which table formats, and who gets which session."""

import multiprocessing
from types import SimpleNamespace
from typing import ClassVar

import pytest

from dbt.adapters.adaptive_spark import connections
from dbt.adapters.adaptive_spark.connections import AdaptiveSparkConnectionManager

NODE = "model.shop.orders"


@pytest.mark.parametrize(
    ("arguments", "method", "starts"),
    [
        ({"which": "run", "introspect": True}, "session", True),
        ({"which": "generate"}, "session", True),
        ({"which": "parse"}, "session", False),
        ({"which": "compile", "introspect": False}, "session", False),
        ({"which": "run"}, "thrift", False),
    ],
)
def test_spark_starts_while_dbt_parses_where_it_will_be_asked(monkeypatch, arguments, method, starts):
    threads = []
    monkeypatch.setattr(
        connections.threading, "Thread", lambda **given: SimpleNamespace(start=lambda: threads.append(given))
    )
    credentials = SimpleNamespace(method=method, file_format=None)
    profile = SimpleNamespace(credentials=credentials, args=SimpleNamespace(**arguments))
    manager = AdaptiveSparkConnectionManager(profile, multiprocessing.get_context("spawn"))
    assert [each["args"] == (manager._start_spark,) and each["daemon"] for each in threads] == [True] * starts


class Sessions:
    """The sessions of a command, which note who asks for which."""

    made: ClassVar = []

    def __init__(self, credentials, formats):
        self.asked, self.formats = [], formats
        self.made.append(self)

    def connect(self, name, is_own):
        self.asked.append((name(), is_own))
        return SimpleNamespace(close=lambda: None)


@pytest.fixture
def project(tmp_path):
    """The folder of a project."""
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    return tmp_path


@pytest.fixture
def opened(monkeypatch, project):
    """A manager of which connections are opened, each in its turn, by name, once dbt has parsed `nodes`."""
    monkeypatch.setattr("dbt.adapters.adaptive_spark.spark.local_session.CommandSessions", Sessions)
    monkeypatch.setattr(Sessions, "made", [])

    def open_in_turn(*names, default=None, nodes=()):
        profile = SimpleNamespace(
            credentials=SimpleNamespace(method="session", file_format=default),
            project_root=str(project),
            **{f"{kind}_paths": [f"{kind}s"] for kind in ("model", "snapshot", "seed", "test", "macro")},
            project_target_path=str(project / "target"),
        )
        manager = AdaptiveSparkConnectionManager(profile, multiprocessing.get_context("spawn"))
        manager.manifest = lambda: SimpleNamespace(nodes=dict(nodes))
        for name in names:
            assert manager.set_connection_name(name).handle is not None
            manager.release()
        return manager

    return open_in_turn


@pytest.mark.parametrize(
    ("default", "formats"),
    [("iceberg", ["iceberg", "delta"]), ("parquet", ["delta"]), (None, ["delta"])],
)
def test_the_profiles_format_comes_before_those_that_models_name(opened, project, default, formats):
    (project / "dbt_project.yml").write_text("models:\n  +file_format: delta\n")
    opened("master", default=default)
    assert Sessions.made[0].formats == formats


@pytest.fixture
def early(monkeypatch):
    """The formats of each start ahead of time."""
    formats = []
    monkeypatch.setattr(
        "dbt.adapters.adaptive_spark.spark.local_session.start_early", lambda _, given: formats.append(given)
    )
    return formats


def test_the_formats_are_those_of_the_parsed_project(opened, project, early):
    (project / "dbt_project.yml").write_text("models:\n  +file_format: delta\n")
    opened("master", nodes={NODE: SimpleNamespace(config={"file_format": "delta"})})._start_spark()
    assert (early, Sessions.made[0].formats) == ([["delta"]], ["delta"])
    (project / "dbt_project.yml").write_text("models:\n  +file_format: '{{ var('format', 'delta') }}'\n")
    opened("master", nodes={NODE: SimpleNamespace(config={"file_format": "iceberg"})})._start_spark()
    assert (len(early), Sessions.made[1].formats) == (1, ["iceberg"])


def test_a_format_of_the_text_alone_comes_after_those_of_the_nodes(opened, project):
    (project / "dbt_project.yml").write_text("# file_format: delta\nmodels:\n  +file_format: iceberg\n")
    opened("master", nodes={NODE: SimpleNamespace(config={"file_format": "iceberg"})})
    assert Sessions.made[0].formats == ["iceberg", "delta"]


def test_without_a_parsed_project_the_formats_are_all_that_it_may_have(opened, project):
    (project / "dbt_project.yml").write_text("models:\n  +file_format: '{{ var('format', 'delta') }}'\n")
    manager = opened(nodes={})
    assert manager._formats() == []
    manager.manifest = lambda: None
    assert manager._formats() == ["delta"]


@pytest.mark.parametrize(
    "folder", ["models", "snapshots", "seeds", "tests", "macros", "dbt_packages/audit/models"]
)
def test_spark_waits_for_dbt_where_a_file_may_name_a_format(opened, project, early, folder):
    (project / folder).mkdir(parents=True)
    (project / folder / "a.sql").write_text("{{ config(file_format='delta' if x else 'iceberg') }}")
    opened()._start_spark()
    assert early == []


def test_a_folder_that_cannot_be_searched_is_met_by_who_waits_for_spark(opened, project, early, monkeypatch):
    manager = opened()
    monkeypatch.setattr(connections, "named_formats", lambda *_: (_ for _ in ()).throw(PermissionError()))
    manager._start_spark()
    assert early == []


def test_the_runs_own_session_is_for_its_hooks_and_copies_for_all_else(opened):
    opened("list_schemas", "master", "model.shop.orders", "master")
    (sessions,) = Sessions.made
    assert sessions.asked == [
        ("list_schemas", False),
        ("master", True),
        ("model.shop.orders", False),
        ("master", True),
    ]


def test_what_the_runs_start_set_up_ends_with_the_run(opened):
    opened("master").cleanup_all()
    opened("master")
    assert [each.asked for each in Sessions.made] == [[("master", True)]] * 2
