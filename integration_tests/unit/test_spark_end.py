"""The sentence for a Spark that has ended: its likely cause, and what to change."""

import pytest

from dbt.adapters.adaptive_spark.spark_end import context_stopped, process_ended


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
