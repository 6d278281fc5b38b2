"""One cheap conjunct that drops 99 % of the rows, written last, behind an expensive one that
drops few; and behind all of them.

The expensive ones: a regular expression, a value of a JSON document, a LIKE with many wildcards, decimal arithmetic,
and a Scala UDF: the pair of `org.apache.spark.ml.functions` that turns arrays into vectors and back, which every Spark
carries. Under ANSI most of them may fail on some row, so that they stay behind what is written before them; the cheap
one cannot fail, and may go ahead of all.
"""

from __future__ import annotations

from functools import reduce
from statistics import geometric_mean
from typing import Any

from pyspark.ml.functions import array_to_vector, vector_to_array
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from measure import Case, compare, save, spark_session
from queries import Ask, adaptive, passing, size, static, stored

ROWS, ROUNDS = size(6_000_000)

FILES = 12
# How many of the files each case reads, so that all take some seconds in their written order.
SHARES = {"regex": 6, "json": 4, "like": 4, "decimal": 8, "scala udf": 12, "all": 2}

CHEAP = "i < 10"
WORDS = "array('north', 'south', 'east', 'west', 'upper', 'lower', 'old', 'new')"


def table(spark: SparkSession) -> DataFrame:
    """A text of twelve words, a JSON document, two decimals, two doubles, and i, uniform in [0, 1000)."""
    words = [f"{WORDS}[cast(rand({seed}) * 8 as int)]" for seed in range(12)]
    return stored(
        spark,
        f"expensive-{ROWS}",
        lambda: (
            spark.range(0, ROWS, 1, FILES)
            .selectExpr(
                "id",
                "cast(rand(20) * 1000 as int) AS i",
                f"concat_ws(' ', {', '.join(words)}, cast(id as string)) AS text",
                "cast(100 + rand(21) * 9900 as decimal(18, 4)) AS price",
                "cast(rand(22) as decimal(18, 6)) AS rate",
                "rand(23) AS x",
                "rand(24) AS y",
            )
            .withColumn(
                "document",
                F.expr("to_json(struct(id, text, struct(x AS east, y AS north) AS place, price AS price))"),
            )
        ),
    )


def expensive() -> dict[str, Column]:
    """By case, a conjunct that passes nine tenths of the rows or more."""
    vector = vector_to_array(array_to_vector(F.array("x", "y")))
    return {
        "regex": F.expr("text RLIKE '(north|south) [a-z ]*(east|west).*[0-9]$'"),
        "json": F.expr("get_json_object(document, '$.place.north') < '0.95'"),
        "like": F.expr("text LIKE '%o%w%e%s%t%'"),
        "decimal": F.expr("price * (1 + rate) * (2 - rate) / (price + rate) - rate * rate > 1.2"),
        "scala udf": F.array_max(vector) < 0.95,
    }


def cases(spark: SparkSession) -> list[Case]:
    """Each expensive conjunct, then all of them, before the cheap one."""
    rows = table(spark)
    files = sorted(rows.inputFiles())
    one_each = expensive()
    conditions = {**one_each, "all": reduce(Column.__and__, one_each.values())}

    def asking(name: str) -> Ask:
        part = spark.read.schema(rows.schema).parquet(*files[: SHARES[name]])
        return lambda: passing(part, conditions[name] & F.expr(CHEAP), "id")

    return [
        Case(name, static(spark, ask), adaptive(spark, ask))
        for name, ask in zip(conditions, map(asking, conditions), strict=True)
    ]


def summary(results: list[dict[str, Any]], passed: dict[str, float]) -> dict[str, Any]:
    """The bar: the written order over ours, at least 5 in each case and as geometric mean."""
    ratios = [case["ratio"] for case in results]
    return {
        "written_over_ours": {case["case"]: case["ratio"] for case in results},
        "least_written_over_ours": min(ratios),
        "geometric_mean": round(geometric_mean(ratios), 3),
        "selectivity": passed,
    }


def selectivities(spark: SparkSession) -> dict[str, float]:
    """Share of the rows that each conjunct passes."""
    conjuncts = {**expensive(), "cheap": F.expr(CHEAP)}
    shares = [F.avg(conjunct.cast("int")).alias(name) for name, conjunct in conjuncts.items()]
    row = table(spark).agg(*shares).first()
    assert row is not None
    return {name: round(share, 4) for name, share in row.asDict().items()}


def main() -> None:
    with spark_session("expensive") as spark:
        passed = selectivities(spark)
        results = compare(cases(spark), ROUNDS)
        save("expensive", ROWS, results, summary(results, passed))


if __name__ == "__main__":
    main()
