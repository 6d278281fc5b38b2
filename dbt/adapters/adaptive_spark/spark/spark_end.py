"""The sentence for a Spark that has ended under dbt, with the likely cause and what to change. Pure."""

from __future__ import annotations

from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError

_KILLED = -9
# how Java ends where an error of memory reaches Spark's handler of uncaught errors
_OUT_OF_MEMORY = 52
_PROFILE = "under server_side_parameters in your profile"


def process_ended(exit_code: int | None, memory: str | None) -> SparkEndedError:
    """The error for a process that is no more.

    `exit_code` is negative for a signal, None where nobody knows. `memory` is the value of spark.driver.memory, None
    where Spark's default holds.
    """
    now = f"spark.driver.memory ({memory or '1g, the default'})"
    if exit_code == _KILLED:
        sentence = (
            "it was killed (signal 9), which is what the system does where its memory runs out. "
            f"Give the machine or container more memory, or lower {now} {_PROFILE}, or threads."
        )
    elif exit_code == _OUT_OF_MEMORY:
        sentence = f"it ran out of memory. Raise {now} {_PROFILE}, or lower threads."
    else:
        code = "" if exit_code is None else f" with exit code {exit_code}"
        sentence = (
            f"Java ended{code}; its last words are in the log above. If they are about memory, raise {now} {_PROFILE}, "
            "or lower threads."
        )
    return SparkEndedError(f"Spark's process has ended: {sentence}")


def context_stopped() -> SparkEndedError:
    """The error for a SparkContext that was stopped while its process lives on."""
    return SparkEndedError(
        "Spark was stopped while dbt was running, by its cluster or by the program that dbt runs in. "
        "Spark's log above has the reason. Run dbt again."
    )
