"""The proof that the extension is loaded, and what a user reads where it is not."""

import pytest
from dbt.adapters.exceptions.connection import FailedToConnectError

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.spark.extension_check import PROOF, prove_extension
from dbt.adapters.adaptive_spark.spark.spark_end import SparkEndedError, process_ended


def failure(answer):
    def run(sql):
        assert sql == PROOF
        if isinstance(answer, Exception):
            raise answer
        return [[answer]]

    with pytest.raises(FailedToConnectError) as error:
        prove_extension(run, "the Spark at h:1", "Start it with the jar.")
    return error.value.msg


def test_the_right_release_passes():
    prove_extension(lambda sql: [[version]], "Spark", "")


@pytest.mark.parametrize(
    "answer",
    [
        "[UNRESOLVED_ROUTINE] Cannot resolve routine `adaptive_spark_version` on search path",
        "Undefined function: adaptive_spark_version. This function is neither a built-in",
    ],
)
def test_an_extension_that_is_not_loaded(answer):
    assert failure(RuntimeError(answer)) == (
        "The adaptive-spark extension is not loaded in the Spark at h:1. Start it with the jar."
    )


def test_an_extension_of_another_release():
    assert failure("0.0.1") == (
        "The adaptive-spark extension in the Spark at h:1 is release 0.0.1, "
        f"but dbt-adaptive-spark {version} is installed. Start it with the jar."
    )


def test_an_extension_for_another_spark_speaks_for_itself():
    assert failure(RuntimeError("adaptive-spark 0.1.0 was built for Spark 3.5")) == (
        "The adaptive-spark extension does not work in the Spark at h:1: adaptive-spark 0.1.0 was built for Spark 3.5"
    )


def test_a_spark_that_has_ended_is_not_the_extensions_fault():
    def run(sql):
        raise process_ended(-9, None)

    with pytest.raises(SparkEndedError):
        prove_extension(run, "Spark", "")
