"""The memory's file: written late but not only at the end, by several at once, and never at a run's cost."""

import json
import multiprocessing
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest

from dbt.adapters.adaptive_spark.learned import store
from dbt.adapters.adaptive_spark.learned.path_lock import locked
from dbt.adapters.adaptive_spark.learned.store import FilterMemory, memory_path

ORDERS = "model.shop.orders"


def learned(shape="a", monitored=8):
    conjunct = {"shape": shape, "rows_monitored": monitored, "selectivity": 0.5, "cost_ns": 2.0}
    return [{"conjuncts": [conjunct]}]


def monitored(file):
    """Rows by node and predicate, as the file has them."""
    nodes = json.loads(file.read_text())["nodes"]
    return {
        unique_id: {predicate: counts["monitored"] for predicate, counts in node["predicates"].items()}
        for unique_id, node in nodes.items()
    }


@pytest.fixture
def file(tmp_path):
    return tmp_path / "target" / "adaptive_filters.json"


@pytest.fixture
def warnings(monkeypatch):
    sentences = []
    monkeypatch.setattr(store, "_logger", SimpleNamespace(warning=sentences.append))
    return sentences


def test_the_next_run_is_given_what_this_one_learned(file, warnings):
    first = FilterMemory(file)
    assert first.prior(ORDERS) is None
    first.learn(ORDERS, learned())
    first.save()
    assert first.prior(ORDERS) is None  # what was known when the run began
    assert FilterMemory(file).prior(ORDERS) == '{"version":2,"predicates":{"a":[8,4,16]}}'
    assert FilterMemory(file).prior("model.shop.other") is None
    assert warnings == []


def test_a_node_is_halved_once_a_run_however_often_it_is_written(file):
    for _ in range(2):
        run = FilterMemory(file)
        for _ in range(3):  # such as the batches of a microbatch model
            run.learn(ORDERS, learned())
            run.save()
    assert monitored(file) == {ORDERS: {"a": 24 // 2 + 24}}


def ordered(*places):
    conjuncts = [
        {
            "shape": "abc"[written],
            "written_position": written,
            "final_position": place,
            "rows_monitored": 8,
            "selectivity": 0.5,
            "cost_ns": 2.0,
        }
        for place, written in enumerate(places)
    ]
    return [{"conjuncts": conjuncts}]


def runs(file, node=ORDERS):
    (filter_,) = json.loads(file.read_text())["nodes"][node]["orders"]
    assert filter_["conjuncts"] == ["a", "b", "c"]
    return filter_["runs"]


def test_a_run_has_one_order_however_often_it_is_written(file):
    for day, places in ((2, (0, 1, 2)), (3, (2, 0, 1))):
        run = FilterMemory(file, datetime(2026, 11, day, 5, tzinfo=timezone.utc))
        for order in ((1, 0, 2), places):
            run.learn(ORDERS, ordered(*order))
            run.save()
    assert runs(file) == {"2026-11-02T05:00:00Z": [0, 1, 2], "2026-11-03T05:00:00Z": [2, 0, 1]}


def test_runs_at_once_keep_the_orders_of_both(file):
    first, second = (FilterMemory(file, datetime(2026, 11, day, tzinfo=timezone.utc)) for day in (2, 3))
    for run, places in ((second, (1, 0, 2)), (first, (0, 2, 1)), (second, (2, 1, 0))):
        run.learn(ORDERS, ordered(*places))
        run.save()
    assert runs(file) == {"2026-11-02T00:00:00Z": [0, 2, 1], "2026-11-03T00:00:00Z": [2, 1, 0]}


def test_the_orders_of_nodes_that_are_not_in_this_run_stay(file):
    first = FilterMemory(file, datetime(2026, 11, 2, tzinfo=timezone.utc))
    first.learn(ORDERS, ordered(0, 1, 2))
    first.save()
    second = FilterMemory(file)
    second.learn("model.shop.other", ordered(0, 1, 2))
    second.save()
    assert runs(file) == {"2026-11-02T00:00:00Z": [0, 1, 2]}
    assert len(runs(file, "model.shop.other")) == 1


def test_absent_nodes_age_by_one_a_run(file):
    first = FilterMemory(file)
    first.learn(ORDERS, learned())
    first.save()
    for _ in range(2):
        run = FilterMemory(file)
        for _ in range(3):
            run.learn("model.shop.other", learned())
            run.save()
    assert {unique_id: node["age"] for unique_id, node in json.loads(file.read_text())["nodes"].items()} == {
        ORDERS: 2,
        "model.shop.other": 0,
    }


def test_a_run_that_learned_nothing_writes_nothing(file):
    run = FilterMemory(file)
    run.learn(ORDERS, [])
    run.save()
    assert not file.exists()


def test_it_is_written_when_the_last_time_is_long_ago_and_only_then(file, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(store, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    run = FilterMemory(file)
    run.learn(ORDERS, learned())
    clock[0] = 109.9
    run.save_when_due()
    assert not file.exists()
    clock[0] = 110.0
    run.save_when_due()
    assert monitored(file) == {ORDERS: {"a": 8}}
    run.learn(ORDERS, learned())
    run.save_when_due()
    assert monitored(file) == {ORDERS: {"a": 8}}


def write(path, name, together):
    together.wait(60)
    run = FilterMemory(path)
    for _ in range(20):
        run.learn(f"model.shop.{name}", learned())
        run.learn("model.shop.both", learned(name))
        run.save()


def test_runs_that_write_at_once_both_keep_what_they_learned(file):
    spawn = multiprocessing.get_context("spawn")
    together = spawn.Barrier(2)
    writers = [spawn.Process(target=write, args=(file, name, together)) for name in ("one", "two")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    assert [writer.exitcode for writer in writers] == [0, 0]
    seen = monitored(file)
    assert (seen["model.shop.one"], seen["model.shop.two"]) == ({"a": 160}, {"a": 160})
    # each run's first turn halves what the other has written by then
    assert all(80 <= rows <= 160 for rows in seen["model.shop.both"].values())
    assert len(seen["model.shop.both"]) == 2
    assert [each.name for each in file.parent.iterdir()] == ["adaptive_filters.json"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            b'{"version": 1, "nodes": {"model.shop.orders": {"age": 0, "predicates": {"(dev.orders.a > 1)": {"monitored": 9, "passed": 1, "nanos": 1}}}}}',
            "is of version 1, and this release reads version 2",
        ),
        (b'{"version": 3, "nodes": 1}', "is of version 3, and this release reads version 2"),
        (b"{ cut off", "is not what this adapter writes"),
        (b"\xff\xfe", "is not what this adapter writes"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_once_and_replaced(file, warnings, content, reason):
    file.parent.mkdir()
    file.write_bytes(content)
    run = FilterMemory(file)
    assert [run.prior(ORDERS), run.prior("model.shop.other")] == [None, None]
    run.learn(ORDERS, learned())
    run.save()
    assert monitored(file) == {ORDERS: {"a": 8}}
    assert warnings == [
        f"What filters learned in earlier runs is not used: {file} {reason}. "
        "This run replaces it by what it learns itself; delete it if the warning comes again."
    ]


def test_a_file_that_cannot_be_read_is_told(file, warnings):
    file.mkdir(parents=True)
    assert FilterMemory(file).prior(ORDERS) is None
    assert f"{file} cannot be read: [Errno 21]" in warnings[0]


def test_a_file_that_cannot_be_read_now_is_not_replaced(file, warnings, monkeypatch):
    before = FilterMemory(file)
    before.learn(ORDERS, learned())
    before.save()
    kept, run = file.read_bytes(), FilterMemory(file)
    run.learn("model.shop.other", learned())
    with monkeypatch.context() as denied:
        denied.setattr(
            Path, "read_bytes", lambda _: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
        )
        run.save()
    assert file.read_bytes() == kept
    assert any("Permission denied" in each for each in warnings)
    run.save()
    assert monitored(file).keys() == {ORDERS, "model.shop.other"}


def test_a_place_that_cannot_be_written_is_told_once_and_nothing_is_lost(file, warnings):
    file.parent.write_text("a file where the folder should be")
    run = FilterMemory(file)
    for _ in range(2):
        run.learn(ORDERS, learned())
        run.save()
    (sentence,) = (each for each in warnings if "not kept" in each)
    assert sentence.startswith(
        f"What the filters learned is not kept for the next run, since {file} cannot be written: [Errno "
    )
    assert sentence.endswith(". Give dbt a target-path that it can write to.")
    file.parent.unlink()
    run.save()
    assert monitored(file) == {ORDERS: {"a": 16}}


def test_a_lock_that_another_keeps_is_not_waited_for_without_end(file, warnings, monkeypatch):
    monkeypatch.setattr(store, "_WAIT_FOR_LOCK_S", 0.1)
    file.parent.mkdir()
    run = FilterMemory(file)
    run.learn(ORDERS, learned())
    with locked(file.with_name("adaptive_filters.json.lock"), timeout_s=0):
        run.save()
    assert "is held by another run for more than 0.1 seconds" in warnings[0]
    run.save()
    assert monitored(file) == {ORDERS: {"a": 8}}


def test_a_writer_that_was_killed_half_way_leaves_the_old_file(file):
    run = FilterMemory(file)
    run.learn(ORDERS, learned())
    run.save()
    file.with_name("adaptive_filters.json.tmp").write_text('{"version": 2, "nod')
    again = FilterMemory(file)
    assert again.prior(ORDERS) is not None
    again.learn(ORDERS, learned())
    again.save()
    assert monitored(file) == {ORDERS: {"a": 12}}


def test_it_stands_beside_dbts_artifacts(tmp_path):
    config = SimpleNamespace(project_target_path=str(tmp_path / "target"))
    assert memory_path(config) == tmp_path / "target" / "adaptive_filters.json"


def test_without_a_project_nothing_is_known_and_nothing_kept(warnings):
    run = FilterMemory(memory_path(SimpleNamespace()))
    run.learn(ORDERS, learned())
    run.save()
    assert (run.prior(ORDERS), warnings) == (None, [])
