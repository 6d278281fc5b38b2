"""On executors of their own, in processes of their own: what the filters learn reaches the driver."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.installation import spark_home
from dbt.adapters.adaptive_spark.spark.start_spark import start_spark

ROWS = 400_000


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Two executors of one core; their work folders, which Spark keeps in its own package, are removed."""
    profile = {
        "spark.master": "local-cluster[2,1,1024]",
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.ansi.enabled": "true",  # Spark's own default, not a profile's
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrationRequired": "true",  # of Spark's own classes all that it sends are
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    work = spark_home() / "work"
    before = set(work.glob("*"))
    session = start_spark(
        AdaptiveSparkCredentials(schema="cluster", server_side_parameters=profile)
    ).getOrCreate()
    yield session
    session.stop()
    for folder in set(work.glob("*")) - before:
        shutil.rmtree(folder)


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> str:
    path = str(tmp_path / "t")
    spark.range(0, ROWS, 1, 4).selectExpr("id", "concat('n', id) AS s").write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("t")
    return path


def test_reports_of_all_executors_add_up_and_rows_stay(
    spark: SparkSession, table: str, tmp_path: Path
) -> None:
    query = "SELECT * FROM t WHERE s LIKE '%1%7%' AND s LIKE '%2%' AND id >= 100000"
    spark.conf.set("spark.sql.adaptiveFilter.enabled", "false")
    expected = spark.sql(query).count()
    spark.conf.set("spark.sql.adaptiveFilter.enabled", "true")
    spark.conf.set("spark.sql.adaptiveFilter.queryTag", "model.cluster")
    spark.sql(query).write.parquet(str(tmp_path / "out"))
    stats = spark.sql(
        "SELECT * FROM adaptive_filter_stats() WHERE query_tag = 'model.cluster' ORDER BY written_position"
    ).collect()
    assert [row.written_position for row in stats] == [0, 1, 2]
    assert {row.rows_out for row in stats} == {expected}
    assert all(row.rows_monitored > 100 and row.cost_ns > 0 for row in stats)
    assert stats[0].rows_in >= 300_000
    written = spark.sql(
        "SELECT rows_written FROM adaptive_query_stats() WHERE query_tag = 'model.cluster' AND rows_written IS NOT NULL"
    ).collect()
    assert [row.rows_written for row in written] == [expected]
    assert expected > 0


@pytest.mark.parametrize("builds", [1, 100_000])
def test_keys_reach_the_driver_and_come_back_as_filters_of_rows(
    spark: SparkSession, table: str, builds: int
) -> None:
    """More keys than a set holds come back, too, from more tasks than tell them on their way."""
    spark.range(0, ROWS // 2, 1, 100).selectExpr("id * 2 AS k", "id % 100 AS dep").createOrReplaceTempView(
        "k"
    )
    query = f"SELECT count(*), sum(t.id) FROM t JOIN k ON t.id = k.k WHERE t.id + k.k < {3 * ROWS} AND dep < {builds}"
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.dynamicFilter.minProbeSize", "0")
    spark.conf.set("spark.sql.dynamicFilter.enabled", "false")
    expected = spark.sql(query).collect()
    spark.conf.set("spark.sql.dynamicFilter.enabled", "true")
    spark.conf.set("spark.sql.adaptiveFilter.queryTag", f"model.keys.{builds}")
    assert spark.sql(query).collect() == expected
    (found,) = spark.sql(
        f"SELECT * FROM dynamic_filter_stats() WHERE query_tag = 'model.keys.{builds}'"
    ).collect()
    assert found.verdict == "filtered"
    assert found.kind == ("values" if builds == 1 else "ranges")
    assert found.kept < 0.6, "rows were tested"
