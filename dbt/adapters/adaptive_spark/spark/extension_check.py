"""Proves over any connection that the extension is loaded and is of this package's release.

Spark only warns when it cannot load an extension, and goes on without it; calling its function is the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dbt.adapters.exceptions.connection import FailedToConnectError

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError

# Two tasks, and a filter that adapts: executors that do not have the jar fail here
PROOF = "select adaptive_spark_version() from range(0, 2, 1, 2) where id % 2 = 0 and id >= 0"
_UNRESOLVED = ("UNRESOLVED_ROUTINE", "Undefined function", "Cannot resolve routine")

Run = Callable[[str], Sequence[Sequence[Any]]]


def prove_extension(run: Run, spark: str, remedy: str) -> None:
    """Asks `spark` (how to name it to the user) for the extension's version and compares it with the package's.

    Raises FailedToConnectError with `remedy` where the extension is absent or of another release, and with the
    extension's own sentence where it runs on a Spark that it is not built for.
    """
    try:
        found = str(run(PROOF)[0][0])
    except SparkEndedError:
        raise
    except Exception as error:
        if any(mark in str(error) for mark in _UNRESOLVED):
            raise FailedToConnectError(
                f"The adaptive-spark extension is not loaded in {spark}. {remedy}"
            ) from error
        raise FailedToConnectError(
            f"The adaptive-spark extension does not work in {spark}: {error}"
        ) from error
    if found != version:
        raise FailedToConnectError(
            f"The adaptive-spark extension in {spark} is release {found}, "
            f"but dbt-adaptive-spark {version} is installed. {remedy}"
        )
