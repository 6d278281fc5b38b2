"""A wait that lasts is told, once and from another thread; a short one is not."""

import threading

import pytest

from dbt.adapters.adaptive_spark.spark import long_wait as module
from dbt.adapters.adaptive_spark.spark.long_wait import long_wait


def test_a_long_wait_is_told_while_it_lasts(monkeypatch):
    monkeypatch.setattr(module, "_MOMENT_S", 0)
    told, sentences = threading.Event(), []

    def say(sentence):
        sentences.append((sentence, threading.current_thread() is threading.main_thread()))
        told.set()

    with long_wait("Starting Spark …", say) as wait:
        assert told.wait(60)
    assert sentences == [("Starting Spark …", False)]
    assert wait.was_told.is_set()
    assert wait.seconds >= 0


@pytest.mark.parametrize("fails", [False, True])
def test_a_wait_of_a_moment_is_not_told(monkeypatch, fails):
    monkeypatch.setattr(module, "_MOMENT_S", 3_600)
    before, sentences = set(threading.enumerate()), []
    try:
        with long_wait("Starting Spark …", sentences.append) as wait:
            if fails:
                raise ValueError("no Java")
    except ValueError:
        assert fails
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive(), "nobody is left to say it"
    assert (sentences, wait.was_told.is_set()) == ([], False)
