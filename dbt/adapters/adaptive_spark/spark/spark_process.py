"""The process and the context of a Spark in this one: whether they live, how they ended, and how they are stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import TimeoutExpired

from py4j.protocol import Py4JError
from pyspark import SparkContext

from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError
from dbt.adapters.adaptive_spark.spark.spark_end import context_stopped, process_ended

END_WITHIN_S = 5.0
# spark.driver.memory: once the process has ended, nobody can be asked
_memory: str | None = None


def remember_memory(memory: str | None) -> None:
    """Notes the memory of the process that has started, for the sentence about its end."""
    global _memory
    _memory = memory


def is_stopped(context: SparkContext) -> bool:
    """True, too, where the process of the context does not answer."""
    try:
        return context._jsc is None or bool(context._jsc.sc().isStopped())
    except (Py4JError, OSError):
        return True


def stop() -> None:
    """Stops the context of this process, if there is one; its process too is forgotten where it has ended."""
    context = SparkContext._active_spark_context
    if has_ended():
        SparkContext._gateway = SparkContext._jvm = None
        if context is not None:
            context._jsc = None  # so that stop() asks nobody
    if context is not None:
        context.stop()


def has_ended() -> bool:
    """True if Spark's process is gone. One that answers no more gets time to end."""
    return SparkContext._jvm is not None and exit_code(0 if _answers() else END_WITHIN_S) is not None


def exit_code(within_s: float) -> int | None:
    """How Spark's process ended, None while it lives, and where spark-submit started Python as its child."""
    process = getattr(SparkContext._gateway, "proc", None)
    if process is None:
        return None
    try:
        return int(process.wait(within_s))
    except TimeoutExpired:
        return None


def spark_ended() -> SparkEndedError:
    """Why the context is stopped, once its process has had time to end too."""
    code = exit_code(END_WITHIN_S)
    return process_ended(code, _memory) if code is not None or not _answers() else context_stopped()


def _answers() -> bool:
    try:
        SparkContext._jvm.java.lang.System.nanoTime()  # type: ignore[union-attr]  # there is one, or this is not called
    except (Py4JError, OSError):
        return False
    return True


@contextmanager
def told_when_spark_ends(context: SparkContext) -> Iterator[None]:
    """Around calls of Java. Raises SparkEndedError in place of what they raise where that is because Spark is gone."""
    try:
        yield
    except SparkEndedError:
        raise
    except Exception:
        if is_stopped(context):
            raise spark_ended() from None
        raise
