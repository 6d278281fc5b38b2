"""TPC-DS with statistics on the columns that its queries filter, join and group by, against stock Spark without:
queries whose plan they change.

The queries stand for the models downstream of the tables. `auto` statistics and those on all columns are collected
twice each, as the adapter does it, with WHOLE=1 those of `auto` from all rows, too. SF is the scale (10),
QUERIES=q25,q72 some queries, RESUME=1 goes on with what the result file lacks. `cbo` is the cost-based optimizer alone,
without adaptive and dynamic filters.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import geometric_mean, mean
from typing import Any

from pyspark.sql import SparkSession
from sqlglot import exp, parse_one

from dbt.adapters.adaptive_spark.conf.conf_scope import Confs
from dbt.adapters.adaptive_spark.spark.cursor import SessionHandle
from dbt.adapters.adaptive_spark.spark.session_conf import COST_BASED
from dbt.adapters.adaptive_spark.statistics import analyze_config
from dbt.adapters.adaptive_spark.statistics.downstream_usage import Graph, GraphNode, Needed
from dbt.adapters.adaptive_spark.statistics.run_analyze import collect
from measure import Case, compare, spark_session, timed
from qubole import OURS, STOCK
from queries import under
from tpcds import ANSI_OFF, SCALE, all_queries, comparable, generated, in_turn, rows_of

# A schema for each collection of statistics, over the same files. Of the two of a kind the mean counts, and neither
# kind gains by when it has its turn.
NONE, AUTO, WHOLE = "tpcds_none", "tpcds_auto", "tpcds_whole"
IN_TURN = {AUTO: "auto", "tpcds_all": "all", "tpcds_all_again": "all", "tpcds_auto_again": "auto"}
WITHOUT = dict.fromkeys(COST_BASED, "false")
# The smallest tables cost nothing; a model has `min_rows`.
MIN_ROWS = 1000
# Tables after which HotSpot has compiled what ANALYZE runs.
WARM_UPS = 4


def register(spark: SparkSession) -> dict[str, list[str]]:
    """The tables in each schema; their columns by table."""
    columns = {}
    for table in sorted(each for each in generated().iterdir() if each.name != "_SUCCESS"):
        name = table.name.removesuffix(".parquet")
        for schema in (NONE, *IN_TURN, WHOLE):
            spark.sql(f"create schema if not exists {schema}")
            spark.sql(f"create table {schema}.{name} using parquet location '{table}'")
        columns[name] = spark.table(f"{NONE}.{name}").columns
    return columns


def readers(columns: Mapping[str, list[str]]) -> Graph:
    """The tables, and the queries as models that read them."""
    tables = [GraphNode(name, name, ((NONE, name),), list, is_inlined=False) for name in columns]
    return Graph([*tables, *(model(name, text, columns) for name, text in all_queries().items())])


def model(name: str, text: str, tables: Mapping[str, Any]) -> GraphNode:
    """The query with a schema before each table, as dbt would render it; the tables that it reads are its parents."""
    tree = parse_one(text, dialect="spark")
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    read = [
        table
        for table in tree.find_all(exp.Table)
        if table.name.lower() in tables and table.name.lower() not in ctes
    ]
    for table in read:
        table.set("db", exp.to_identifier(NONE))
    parents = {table.name.lower() for table in read}
    return GraphNode(
        name, name, ((NONE, name),), lambda: [tree.sql(dialect="spark")], False, (*sorted(parents),)
    )


@dataclass(frozen=True)
class Connection:
    """The session as the adapter's own code sees a connection."""

    spark: SparkSession

    @property
    def confs(self) -> Confs:
        return SessionHandle(self.spark, lambda: None)

    def query(self, sql: str) -> Sequence[Sequence[Any]]:
        return self.spark.sql(sql).collect()

    run = query


def analyzed(
    spark: SparkSession,
    schema: str,
    rows: Mapping[str, int],
    graph: Graph,
    config: analyze_config.AnalyzeConfig,
) -> float:
    """Seconds that it took to collect the statistics of tables, given their `rows`, as
    after a model that wrote them.
    """

    def needed(name: str, columns: Iterable[str]) -> Needed:
        found = graph.needed(name, columns)
        assert not found.unread, found.unread
        return found

    def all_tables() -> None:
        for name, count in rows.items():
            collect(Connection(spark), config, schema, name, partial(needed, name), "cbo", count)

    return timed(all_tables)[0]


def asking(
    spark: SparkSession, name: str, text: str, schema: str, conf: Mapping[str, str]
) -> Callable[[], Any]:
    """The query over one schema under a configuration."""
    ansi = {"spark.sql.ansi.enabled": "false"} if name in ANSI_OFF else {}

    def read() -> Any:
        spark.sql(f"use {schema}")
        return rows_of(spark, text)

    return under(spark, {**conf, **ansi}, read)


def plan(spark: SparkSession, text: str, schema: str, conf: Mapping[str, str]) -> str:
    """Its joins as first planned, in their order, without names that differ from run to run."""

    def read() -> str:
        spark.sql(f"use {schema}")
        executed = spark.sql(text)._jdf.queryExecution().sparkPlan()
        lines = executed.toString().splitlines()
        return "\n".join(
            line.replace(f"{schema}.", "").split("[")[0].split("#")[0]
            for line in lines
            if "Join" in line or "Scan" in line
        )

    return under(spark, conf, read)()


def summary(
    seconds: Mapping[str, Sequence[float]], results: list[dict[str, Any]], unchanged: list[str]
) -> dict[str, Any]:
    """The bars: geometric mean at least 1.5, and `auto` at most half of what all columns cost."""
    cost = {kind: mean(each) for kind, each in seconds.items()}
    return {
        "changed": len(results),
        "unchanged": unchanged,
        "geometric_mean": round(geometric_mean(case["ratio"] for case in results), 3),
        "geometric_mean_cbo_alone": round(
            geometric_mean(case["baseline_s"] / case["cbo_s"] for case in results), 3
        ),
        **{f"analyze_{kind}_s": round(each, 1) for kind, each in cost.items()},
        **{
            f"analyze_{kind}_aa_ratio": round(each[0] / each[-1], 3)
            for kind, each in seconds.items()
            if len(each) > 1
        },
        "auto_over_all": round(cost["auto"] / cost["all"], 3),
    }


def measured(spark: SparkSession, name: str, text: str) -> dict[str, Any] | None:
    """A query's case, or nothing where statistics leave its plan alone."""
    stock, cbo = {**STOCK, **WITHOUT}, {**STOCK, **COST_BASED}

    def ways(text: str) -> list[Callable[[], Any]]:
        return [
            asking(spark, name, text, NONE, stock),
            asking(spark, name, text, AUTO, {**OURS, **COST_BASED}),
            asking(spark, name, text, AUTO, cbo),
        ]

    if plan(spark, text, NONE, stock) == plan(spark, text, AUTO, cbo):
        return None
    text, rounds = comparable(name, text, ways)
    baseline, ours, alone = ways(text)
    (case,) = compare([Case(name, baseline, ours, {"cbo": alone})], rounds, warm=True)
    return case


def main() -> None:
    with spark_session("cbo", spark__driver__memory="10g") as spark:
        columns = register(spark)
        graph = readers(columns)
        counts = {name: spark.table(f"{NONE}.{name}").count() for name in columns}
        rows = {name: count for name, count in counts.items() if count >= MIN_ROWS}
        configs = {
            kind: analyze_config.AnalyzeConfig(kind, MIN_ROWS)
            for kind in (analyze_config.AUTO, analyze_config.ALL)
        }
        analyzed(spark, WHOLE, dict(list(rows.items())[:WARM_UPS]), graph, configs[analyze_config.ALL])
        seconds: dict[str, list[float]] = {}
        for schema, kind in IN_TURN.items():
            seconds.setdefault(kind, []).append(analyzed(spark, schema, rows, graph, configs[kind]))
        if os.environ.get("WHOLE") == "1":
            whole = replace(configs[analyze_config.AUTO], sample=1.0)
            seconds["auto, all rows"] = [analyzed(spark, WHOLE, rows, graph, whole)]
        print(json.dumps(seconds), flush=True)
        in_turn(f"cbo-sf{SCALE}", partial(measured, spark), partial(summary, seconds))


if __name__ == "__main__":
    main()
