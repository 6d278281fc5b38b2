"""A lock by a file that goes with it: never two holders, and nothing left behind."""

import fcntl
import os
import threading
import time

import pytest

from dbt.adapters.adaptive_spark.learned.path_lock import locked


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lock"


def test_the_file_is_there_only_while_it_is_held(path):
    for _ in range(2):
        with locked(path, timeout_s=0):
            assert path.exists()
        assert not path.exists()


def test_a_file_that_a_killed_holder_left_is_taken_and_removed(path):
    path.touch()
    with locked(path, timeout_s=0):
        pass
    assert not path.exists()


def test_it_is_let_go_where_the_work_fails(path):
    with pytest.raises(ValueError, match="work"), locked(path, timeout_s=0):
        raise ValueError("work")
    with locked(path, timeout_s=0):
        pass
    assert not path.exists()


def test_another_is_told_who_keeps_it_and_takes_nothing_away(path):
    with locked(path, timeout_s=0):
        told = r"lock is held by another run for more than 0\.05 seconds"
        with pytest.raises(TimeoutError, match=told), locked(path, timeout_s=0.05):
            pass
        assert path.exists()


def test_a_file_that_was_removed_while_it_was_waited_for_is_no_lock(path, monkeypatch):
    """A waiter opens the file, its holder removes it and lets it go, another makes a new
    one: the waiter must see that.
    """
    flock, news = fcntl.flock, []

    def late(descriptor, how):
        if not news:
            path.unlink()
            news.append(os.open(path, os.O_RDWR | os.O_CREAT))
            flock(news[0], fcntl.LOCK_EX)
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(TimeoutError), locked(path, timeout_s=0.05):
        pass
    os.close(news[0])


def test_a_holder_whose_file_others_have_removed_leaves_theirs_alone(path):
    with locked(path, timeout_s=0):
        path.unlink()
        path.touch()
    assert path.exists()


def test_never_two_hold_it_at_once(path):
    inside, most = [], []

    def work():
        for _ in range(100):
            with locked(path, timeout_s=60):
                inside.append(1)
                time.sleep(0.0005)
                most.append(len(inside))
                inside.pop()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (len(most), max(most), path.exists()) == (400, 1, False)
