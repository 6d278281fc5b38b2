"""Rows with the adaptive filter equal rows without it, and it raises nothing that Spark would not have raised."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from conditions import COLUMNS, GUARDED_PAIR, MAY_THROW, SAFE, SCHEMA, SOURCES, conjunctions, rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

EXAMPLES = int(os.environ.get("EQUALITY_EXAMPLES", "15"))
ROWS = 600

many = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = str(tmp_path_factory.mktemp("equality") / "t")
    spark.createDataFrame(rows(ROWS, seed=1), SCHEMA).coalesce(1).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("t")


@contextmanager
def confs(spark: SparkSession, **values: str) -> Iterator[None]:
    """Session keys for a while; `__` for dots, below spark.sql."""
    for key, value in values.items():
        spark.conf.set(f"spark.sql.{key.replace('__', '.')}", value)
    try:
        yield
    finally:
        for key in values:
            spark.conf.unset(f"spark.sql.{key.replace('__', '.')}")


def outcome(spark: SparkSession, condition: str, source: str = "t") -> list[str] | None:
    """The rows that pass, as text in order, or None where the query raises."""
    asked = spark.sql(f"SELECT {', '.join(COLUMNS)} FROM {source} WHERE {condition}")
    try:
        found = asked.collect()
    # Spark 3.5 gives an error of a task as Java has it.
    except (PySparkException, Py4JJavaError):
        return None
    return sorted(map(repr, found))


def stock(
    spark: SparkSession, condition: str, source: str = "t", whole_stage: str = "true"
) -> list[str] | None:
    with confs(spark, adaptiveFilter__enabled="false", codegen__wholeStage=whole_stage):
        return outcome(spark, condition, source)


# Over column batches, over rows, and outside generated code; `__` for dots, below spark.sql.
FORMS = {
    "batches": {"codegen__wholeStage": "true", "parquet__enableVectorizedReader": "true"},
    "rows": {"codegen__wholeStage": "true", "parquet__enableVectorizedReader": "false"},
    "interpreted": {"codegen__wholeStage": "false"},
}
# Sampling and epochs so short that the order moves.
LEARNING = {
    "rank": {"adaptiveFilter__policy": "rank", "adaptiveFilter__collectRate": "1"},
    "conditional": {"adaptiveFilter__policy": "conditional", "adaptiveFilter__collectRate": "3"},
}


def forms(
    spark: SparkSession, condition: str, errors: str, source: str = "t", names: tuple[str, ...] = tuple(FORMS)
) -> Iterator[tuple[str, list[str] | None]]:
    """Rows that the adaptive filter finds in each of its forms, under each policy."""
    for name in names:
        for policy, learning in LEARNING.items():
            with confs(
                spark,
                **FORMS[name],
                **learning,
                adaptiveFilter__calculateRate="10",
                adaptiveFilter__errors=errors,
            ):
                yield f"{name}, {policy}", outcome(spark, condition, source)


def forms_of(whole_stage: str) -> tuple[str, ...]:
    """The forms that stand beside Spark's filter in or outside generated code."""
    return tuple(name for name, conf in FORMS.items() if conf["codegen__wholeStage"] == whole_stage)


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.usefixtures("table")
@many
@given(condition=conjunctions(SAFE))
def test_conjuncts_that_never_throw_keep_their_rows(spark: SparkSession, ansi: str, condition: str) -> None:
    with confs(spark, ansi__enabled=ansi):
        expected = stock(spark, condition)
        assert expected is not None, "a conjunct of SAFE raised"
        for form, found in forms(spark, condition, "guarded"):
            assert found == expected, form


@pytest.mark.parametrize("whole_stage", ["true", "false"])
@pytest.mark.usefixtures("table")
@many
@given(condition=conjunctions(st.one_of(SAFE, SAFE, MAY_THROW, GUARDED_PAIR)), source=SOURCES)
def test_guarded_raises_nothing_new(
    spark: SparkSession, whole_stage: str, condition: str, source: str
) -> None:
    with confs(spark, ansi__enabled="true"):
        expected = stock(spark, condition, source, whole_stage)
        for form, found in forms(spark, condition, "guarded", source, forms_of(whole_stage)):
            if expected is not None:
                assert found == expected, form


@pytest.mark.parametrize("whole_stage", ["true", "false"])
@pytest.mark.usefixtures("table")
@many
@given(condition=conjunctions(st.one_of(SAFE, SAFE, MAY_THROW, GUARDED_PAIR)))
def test_exact_raises_what_spark_raises(spark: SparkSession, whole_stage: str, condition: str) -> None:
    with confs(spark, ansi__enabled="true"):
        expected = stock(spark, condition, whole_stage=whole_stage)
        for form, found in forms(spark, condition, "exact", names=forms_of(whole_stage)):
            assert found == expected, form


@pytest.mark.usefixtures("table")
def test_the_order_moves_in_these_tests(spark: SparkSession) -> None:
    with confs(spark, adaptiveFilter__collectRate="1", adaptiveFilter__queryTag="moves"):
        spark.sql("SELECT * FROM t WHERE id >= 0 AND s LIKE '%b%c%' AND i = 7").collect()
    moved = spark.sql(
        "SELECT max(reorderings) FROM adaptive_filter_stats() WHERE query_tag = 'moves'"
    ).first()
    assert moved is not None and moved[0] > 0
