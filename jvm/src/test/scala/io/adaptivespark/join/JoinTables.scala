package io.adaptivespark.join

import java.nio.file.Files

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.scalatest.Suite

import io.adaptivespark.SparkSuite
import io.adaptivespark.join.exec.DynamicFilterExec

/** A large table in several formats, a small one, and queries over both with dynamic filters and without. */
trait JoinTables extends SparkSuite { this: Suite =>

  protected lazy val directory: String = {
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    spark.conf.set("spark.sql.dynamicFilter.minProbeSize", "0")
    val path = JoinTables.directory(spark)
    for (table <- Seq("fact", "fact_p", "unordered", "dim"))
      spark.read.parquet(s"$path/$table").createOrReplaceTempView(table)
    spark.read.orc(s"$path/orc").createOrReplaceTempView("fact_orc")
    // Another column, lest Spark take the cached rows for those of the table itself.
    spark.sql("CACHE LAZY TABLE fact_in_memory AS SELECT *, id + 1 AS next FROM fact")
    path
  }

  protected def dynamic[T](on: Boolean)(body: => T): T = {
    directory
    withConf("spark.sql.dynamicFilter.enabled" -> on.toString)(body)
  }

  protected def filters(plan: SparkPlan): Seq[DynamicFilterExec] =
    collectWithSubqueries(plan) { case filter: DynamicFilterExec => filter }

  protected def rowsOf(plan: SparkPlan, table: String): Long = onceEach(collectWithSubqueries(plan) {
    case scan: FileSourceScanExec if scan.relation.location.rootPaths.head.getName == table => scan
  })(_.metrics("numOutputRows").id).map(_.metrics("numOutputRows").value).sum

  /** The first of `all` by each key. */
  protected def onceEach[A, Key](all: Seq[A])(key: A => Key): Seq[A] = {
    val seen = mutable.HashSet.empty[Key]
    all.filter(each => seen.add(key(each)))
  }

  protected val strategies = Seq(
    "broadcast" -> Seq("spark.sql.autoBroadcastJoinThreshold" -> "10MB"),
    "sort merge" -> Seq("spark.sql.autoBroadcastJoinThreshold" -> "-1"),
    "shuffled hash" -> Seq(
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.join.preferSortMergeJoin" -> "false",
      "spark.sql.join.forceApplyShuffledHashJoin" -> "true"
    )
  )

  protected val noBroadcast = "spark.sql.autoBroadcastJoinThreshold" -> "-1"

  /** The rows of a query without dynamic filters. */
  protected def withoutFilters(text: String): Seq[String] = dynamic(on = false)(sorted(spark.sql(text)))

  protected def onAndOff(text: String, conf: (String, String)*): SparkPlan =
    withConf(conf: _*) {
      val expected = withoutFilters(text)
      dynamic(on = true) {
        val query = spark.sql(text)
        assert(sorted(query) == expected)
        query.queryExecution.executedPlan
      }
    }

  /** The plan of a query with hints, whose rows are those of the query without. */
  protected def onAndOffHinted(text: String): SparkPlan = {
    directory
    val expected = withConf("spark.sql.dynamicFilter.enabled" -> "false")(
      sorted(spark.sql(SparkSuite.withoutHints(text)))
    )
    val query = spark.sql(text)
    assert(sorted(query) == expected)
    query.queryExecution.executedPlan
  }
}

private object JoinTables {
  private var made: Option[String] = None

  /** The files of the tables, which the first suite of a process writes. */
  def directory(spark: SparkSession): String = synchronized {
    made.getOrElse {
      val path = Files.createTempDirectory("dynamic").toString
      write(spark, path)
      made = Some(path)
      path
    }
  }

  private def write(spark: SparkSession, path: String): Unit = {
    val small = Map("parquet.block.size" -> "65536", "parquet.page.size" -> "4096")
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
    val fact = spark.read.parquet(s"$path/fact")
    val stripes = Map("orc.stripe.size" -> "65536", "orc.row.index.stride" -> "1000")
    fact.write.options(stripes).orc(s"$path/orc")
    fact.selectExpr("*", "id div 20000 * 20000 AS p").write.partitionBy("p").parquet(s"$path/fact_p")
    fact.repartition(4).write.parquet(s"$path/unordered")
  }
}
