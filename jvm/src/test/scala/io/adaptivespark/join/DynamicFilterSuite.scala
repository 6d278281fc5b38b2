package io.adaptivespark.join

import java.nio.file.Files

import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite

class DynamicFilterSuite extends AnyFunSuite with SparkSuite {

  private lazy val directory = {
    val path = Files.createTempDirectory("dynamic").toString
    val small = Map("parquet.block.size" -> "65536", "parquet.page.size" -> "4096")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    spark.range(0, 200000, 1, 2).selectExpr(
      "id",
      "cast(id as int) AS i",
      "cast(id as decimal(12, 2)) AS d",
      "concat('key-', lpad(id, 8, '0')) AS s",
      "date_add(DATE '2000-01-01', cast(id div 20 as int)) AS dt",
      "timestamp_seconds(id * 60) AS ts",
      "id % 7 AS g"
    ).write.options(small).parquet(s"$path/fact")
    spark.range(0, 1000, 1, 1).selectExpr(
      "id * 200 AS k",
      "cast(id * 200 as int) AS ki",
      "cast(id * 200 as decimal(12, 2)) AS kd",
      "concat('key-', lpad(id * 200, 8, '0')) AS ks",
      "date_add(DATE '2000-01-01', cast(id * 10 as int)) AS kdt",
      "timestamp_seconds(id * 200 * 60) AS kts",
      "id % 100 AS dep",
      "if(id % 3 = 0, null, id % 7) AS g"
    ).write.parquet(s"$path/dim")
    spark.read.parquet(s"$path/fact").createOrReplaceTempView("fact")
    spark.read.parquet(s"$path/dim").createOrReplaceTempView("dim")
    path
  }

  private def dynamic[T](on: Boolean)(body: => T): T = {
    directory
    withConf("spark.sql.dynamicFilter.enabled" -> on.toString)(body)
  }

  private def filters(plan: SparkPlan): Seq[DynamicFilterExec] =
    collectWithSubqueries(plan) { case filter: DynamicFilterExec => filter }

  private def rowsOf(plan: SparkPlan, table: String): Long = collectWithSubqueries(plan) {
    case scan: FileSourceScanExec if scan.relation.location.rootPaths.head.getName == table => scan
  }.distinctBy(_.metrics("numOutputRows").id).map(_.metrics("numOutputRows").value).sum

  private val strategies = Seq(
    "broadcast" -> Seq("spark.sql.autoBroadcastJoinThreshold" -> "10MB"),
    "sort merge" -> Seq("spark.sql.autoBroadcastJoinThreshold" -> "-1"),
    "shuffled hash" -> Seq(
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.join.preferSortMergeJoin" -> "false",
      "spark.sql.join.forceApplyShuffledHashJoin" -> "true"
    )
  )

  for (
    (strategy, conf) <- strategies; aqe <- Seq("true", "false")
  ) {
    def check(text: String, most: Long): Unit = withConf(conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*) {
      val expected = dynamic(on = false)(sorted(spark.sql(text)))
      dynamic(on = true) {
        val query = spark.sql(text)
        assert(sorted(query) == expected)
        val plan = query.queryExecution.executedPlan
        assert(filters(plan).nonEmpty, plan)
        assert(rowsOf(plan, "fact") <= most, plan)
        assert(rowsOf(plan, "dim") == 1000, plan)
      }
    }

    for (
      key <- Seq("id = k", "i = ki", "d = kd", "s = ks", "dt = kdt", "ts = kts", "i = k", "i = kd", "id = kd")
    ) test(s"prunes $key, $strategy join, AQE $aqe") {
      check(s"SELECT count(*), sum(fact.id), max(s) FROM fact JOIN dim ON $key WHERE dep = 7", most = 100000)
    }

    test(s"an empty build side reads nothing, $strategy join, AQE $aqe") {
      withConf(conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*)(dynamic(on = true) {
        val query = spark.sql("SELECT count(*) FROM fact JOIN dim ON id = k WHERE dep + ki = -1")
        assert(sorted(query) == Seq("[0]"))
        assert(rowsOf(query.queryExecution.executedPlan, "fact") == 0, query.queryExecution.executedPlan)
      })
    }
  }
}
