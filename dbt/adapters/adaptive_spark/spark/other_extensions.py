"""Finds those of Spark's extensions, ours aside, that do not load: Spark warns of some in
its log, and fails over others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.spark.session_conf import EXTENSION, EXTENSIONS_KEY, listed

_MISSING = "java.lang.ClassNotFoundException"
# Spark's own words over an extension that it goes on without, and the first line of the error
_WARNING = re.compile(r"Cannot use (?P<name>\S+) to configure session extensions.*?\|\s*(?P<reason>.*)")


@contextmanager
def refused_extensions() -> Iterator[dict[str, str]]:
    """Around the making of Spark's first session, which applies the extensions: at its end it holds, by extension, over
    which error Spark went on without it.

    Spark keeps no record of that but a warning, which is read as it is logged. To apply an extension once
    more would do twice what it does, such as to register a listener. Nothing is found where warnings are
    off or the log is not Log4j's.
    """
    refused: dict[str, str] = {}
    try:
        jvm: Any = SparkContext._jvm
        core = jvm.org.apache.logging.log4j.core
        layout = core.layout.PatternLayout.newBuilder().withPattern("%m|%ex{1}%n").build()
        words = jvm.java.io.StringWriter()
        appender = core.appender.WriterAppender.createAppender(
            layout, None, words, "adaptive-spark", False, True
        )
        root = jvm.org.apache.logging.log4j.LogManager.getRootLogger()
        appender.start()
        root.addAppender(appender)
    except (Py4JError, TypeError):  # TypeError: the class is not there
        yield refused
        return
    try:
        yield refused
        refused.update(
            {found["name"]: found["reason"].strip() for found in _WARNING.finditer(words.toString())}
        )
    finally:
        root.removeAppender(appender)


def unloaded(context: SparkContext, refused: Mapping[str, str]) -> list[str]:
    """One sentence for each extension whose class is missing or of the wrong kind, or that Spark has `refused`.

    Applies none.
    """
    faults = {name: _fault(context, name) for name in _others(context)}
    faults |= {
        name: (refused[name], False) for name, fault in faults.items() if fault is None and name in refused
    }
    return [_sentence(name, *fault) for name, fault in faults.items() if fault is not None]


def culprit(context: SparkContext) -> str | None:
    """The sentence for the extension with which alone Spark answers no query, None where each does alone.

    Only for a Spark that does not work: the list of extensions is another while each is tried.
    """
    conf = context._jsc.sc().conf()
    names = conf.get(EXTENSIONS_KEY, "")
    try:
        for name in _others(context):
            conf.set(EXTENSIONS_KEY, name)
            reason = _failure(context)
            if reason is not None:
                return _sentence(name, reason, is_missing=False)
    finally:
        conf.set(EXTENSIONS_KEY, names)
    return None


def _others(context: SparkContext) -> list[str]:
    return [name for name in listed(context._jsc.sc().conf().get(EXTENSIONS_KEY, "")) if name != EXTENSION]


def _failure(context: SparkContext) -> str | None:
    """Why a session with the extensions that the context names now does not answer."""
    try:
        jvm: Any = context._jvm
        by_pyspark = getattr(SparkSession, "_get_j_spark_session_class", None)  # since Spark 4.0
        java = (by_pyspark(jvm) if by_pyspark else jvm.SparkSession)(context._jsc.sc(), {})
        SparkSession(context, java).sql("select 1").collect()
    except Py4JJavaError as error:
        return _text(error.java_exception)
    except PySparkException as error:
        return str(error)
    return None


def _fault(context: SparkContext, name: str) -> tuple[str, bool] | None:
    """Why an extension's class does not load or is no extension, and whether it is missing."""
    jvm: Any = context._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    try:
        kind = loader.loadClass(name)
        if not loader.loadClass("scala.Function1").isAssignableFrom(kind):
            return "it is not a function of SparkSessionExtensions", False
    except Py4JJavaError as error:
        java = error.java_exception
        if java.getClass().getName() == _MISSING and java.getMessage() == name:
            return "there is no such class on Spark's class path", True
        return _text(java), False
    return None


def _text(java: Any) -> str:
    return str(java.toString()).partition("\n")[0]


def _sentence(name: str, reason: str, is_missing: bool) -> str:
    extension = f"The extension {name} in {EXTENSIONS_KEY}"
    if is_missing:
        return (
            f"{extension} is not loaded: {reason}. Add its package to spark.jars.packages or its jar to spark.jars, "
            "or leave it out."
        )
    return f"{extension} does not work: {reason}. Use its release for this Spark, or leave it out."
