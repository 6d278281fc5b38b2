"""The order in which Spark starts a filter is the one that the adapter works out by itself."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.conf.conf_keys import QUERY_TAG, RUN_ID
from dbt.adapters.adaptive_spark.learned.evidence import Evidence, NodeMemory, prior, remember_sql
from dbt.adapters.adaptive_spark.learned.listing import as_json
from dbt.adapters.adaptive_spark.model.bulk_filter import bulk_filter_sql, leaves, ordered, parsed

COLUMNS = [f"s{number}" for number in range(8)]
some = settings(
    max_examples=int(os.environ.get("EQUALITY_EXAMPLES", "40")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
tags = count()


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = str(tmp_path_factory.mktemp("order") / "texts")
    spark.range(9).selectExpr(*(f"concat('v', id) {name}" for name in COLUMNS)).coalesce(1).write.parquet(
        path
    )
    spark.read.parquet(path).createOrReplaceTempView("texts")


def conjuncts(spark: SparkSession, sql: str, earlier: str = "") -> list[dict[str, Any]]:
    """The conjuncts of a query's filter over a few rows, from first to last; `earlier` is what earlier runs learned."""
    tag = f"order.{next(tags)}"
    if earlier:
        spark.sql(remember_sql(tag, "run", earlier)).collect()
    spark.conf.set(QUERY_TAG, tag)
    spark.conf.set(RUN_ID, "run")
    try:
        spark.sql(sql).collect()
    finally:
        spark.conf.unset(QUERY_TAG)
        spark.conf.unset(RUN_ID)
    rows = spark.sql(f"SELECT * FROM adaptive_filter_stats() WHERE query_tag = '{tag}'").collect()
    return sorted((row.asDict() for row in rows), key=lambda row: row["final_position"])


def columns(predicates: Sequence[dict[str, Any]]) -> list[str]:
    return [re.findall(r"\bs\d\b", each["predicate"])[0] for each in predicates]


def trees(names: Sequence[str]) -> st.SearchStrategy[Any]:
    """Nested AND and OR over lists of values, each of a column of its own.

    No AND is an operand of an AND: the adapter keeps it together, and Spark, to which both are one, may not.
    """

    def node(operator: str, children: list[Any]) -> Any:
        parts = [
            part
            for child in children
            for part in (child["and"] if operator == "and" and "and" in child else [child])
        ]
        return {operator: parts}

    shapes = st.recursive(
        st.just({"leaf": None}),
        lambda inner: st.builds(
            node, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)
        ),
        max_leaves=len(names),
    )
    return shapes.map(lambda shape: named(shape, iter(names)))


def named(shape: Any, names: Any) -> Any:
    if "leaf" in shape:
        return {"column": next(names), "include": ["v1", "v3"]}
    return {operator: [named(child, names) for child in children] for operator, children in shape.items()}


@pytest.mark.usefixtures("table")
@some
@given(tree=trees(COLUMNS).filter(lambda tree: "column" not in tree))
def test_nested_lists_start_in_the_order_in_which_the_adapter_writes_them(
    spark: SparkSession, tree: Any
) -> None:
    as_written = parsed(tree)
    started = columns(conjuncts(spark, bulk_filter_sql("texts", as_written)))
    # a filter that Spark leaves alone has nothing to order
    if started:
        assert started == [leaf.column for leaf in leaves(ordered(as_written))]


def evidence() -> st.SearchStrategy[Evidence]:
    def of(monitored: int, share: float, cost: int) -> Evidence:
        return Evidence(monitored, round(monitored * share), monitored * cost)

    return st.builds(of, st.integers(1000, 10**6), st.floats(0, 1), st.integers(1, 10_000))


def cost(order: Sequence[Evidence]) -> float:
    """Nanoseconds a row, if predicates are independent."""
    total, left = 0.0, 1.0
    for each in order:
        total += left * each.nanos / each.monitored
        left *= each.passed / each.monitored
    return total


@pytest.mark.usefixtures("table")
@some
@given(seen=st.lists(evidence(), min_size=2, max_size=5))
@example(seen=[Evidence(1000, 999, 900_000), Evidence(1000, 1, 1000)])
def test_the_listing_of_what_is_known_has_the_order_in_which_spark_starts(
    spark: SparkSession, seen: list[Evidence]
) -> None:
    sql = "SELECT * FROM texts WHERE " + " AND ".join(
        f"s{number} LIKE '%v_%{number}'" for number in range(len(seen))
    )
    shapes = [
        each["shape"] for each in sorted(conjuncts(spark, sql), key=lambda row: row["written_position"])
    ]
    known = dict(zip(shapes, seen, strict=True))
    node = NodeMemory(known)
    told = json.loads(as_json({"node": node}))["node"]["predicates"]
    listed = [each["shape"] for each in told]
    started = [each["shape"] for each in conjuncts(spark, sql, prior(node) or "")]
    # the written order stays where another one saves less than a fifth
    best, written = (cost([known[shape] for shape in order]) for order in (listed, shapes))
    assert started == listed or (started == shapes and best > 0.75 * written)
