"""Finds those of Spark's extensions, ours aside, that do not load: Spark warns of some in its log, and fails over others."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.spark.session_conf import EXTENSION, EXTENSIONS_KEY, listed

_MISSING = "java.lang.ClassNotFoundException"


def unloaded(context: SparkContext) -> list[str]:
    """One sentence for each extension whose class is missing or of the wrong kind, or that throws when it is applied.

    Spark has applied them and keeps no record of a failure, so each is applied once more, to a list that is thrown away.
    """
    faults = ((name, _fault(context, name)) for name in _others(context))
    return [_sentence(name, *fault) for name, fault in faults if fault is not None]


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
        java = SparkSession._get_j_spark_session_class(context._jvm)(context._jsc.sc(), {})
        SparkSession(context, java).sql("select 1").collect()
    except Py4JJavaError as error:
        return _text(error.java_exception)
    except PySparkException as error:
        return str(error)
    return None


def _fault(context: SparkContext, name: str) -> tuple[str, bool] | None:
    """Why an extension does not load, and whether its class is missing."""
    jvm: Any = context._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    try:
        kind = loader.loadClass(name)
        if not loader.loadClass("scala.Function1").isAssignableFrom(kind):
            return "it is not a function of SparkSessionExtensions", False
        kind.newInstance().apply(jvm.org.apache.spark.sql.SparkSessionExtensions())
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
