"""The sentence for a Spark that has ended: its likely cause, and what to change."""

from subprocess import TimeoutExpired
from types import SimpleNamespace

import pytest
from pyspark import SparkContext

from dbt.adapters.adaptive_spark.spark import local_session
from dbt.adapters.adaptive_spark.spark.spark_end import SparkEndedError, context_stopped, process_ended


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (-9, "it was killed (signal 9), which is what the system does where its memory runs out."),
        (52, "it ran out of memory. Raise spark.driver.memory (2g)"),
        (134, "Java ended with exit code 134; its last words are in the log above."),
        (None, "Java ended; its last words are in the log above."),
    ],
)
def test_the_cause_goes_by_the_exit_code(code, cause):
    sentence = process_ended(code, "2g").msg
    assert sentence.startswith(f"Spark's process has ended: {cause}")
    assert "spark.driver.memory (2g) under server_side_parameters in your profile" in sentence


def test_memory_that_nobody_set_is_sparks_default():
    assert "spark.driver.memory (1g, the default)" in process_ended(52, None).msg


def test_a_stopped_context_says_who_may_have_stopped_it():
    assert context_stopped().msg.startswith("Spark was stopped while dbt was running, by its cluster or")


class Dying:
    """Spark's process, killed a moment ago: it answers no more, and ends within half a second."""

    def wait(self, within_s):
        if within_s < 0.5:
            raise TimeoutExpired("java", within_s)
        return -9

    def __getattr__(self, name):
        raise ConnectionRefusedError(111, "Connection refused")


def test_a_process_that_answers_no_more_gets_time_to_end(monkeypatch):
    dying = Dying()
    monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(proc=dying))
    monkeypatch.setattr(SparkContext, "_jvm", dying)
    monkeypatch.setattr(SparkContext, "_active_spark_context", SimpleNamespace(_jsc=dying))
    monkeypatch.setattr(local_session, "_engine", None)
    with pytest.raises(SparkEndedError, match="it was killed"):
        local_session._forget_stopped()
