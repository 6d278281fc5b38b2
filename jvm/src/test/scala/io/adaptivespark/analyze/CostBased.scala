package io.adaptivespark.analyze

import scala.util.Try

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogColumnStat, CatalogStatistics}
import org.scalatest.Suite

import io.adaptivespark.Interpreted
import io.adaptivespark.shim.SessionShim

/** Queries under Spark's cost-based optimizer. */
trait CostBased extends Interpreted { this: Suite =>

  // as the adapter sets them
  private val keys = Seq(
    "spark.sql.cbo.enabled",
    "spark.sql.cbo.planStats.enabled",
    "spark.sql.cbo.joinReorder.enabled",
    "spark.sql.cbo.starSchemaDetection"
  )

  protected def costBased[T](on: Boolean)(body: => T): T = withConf(keys.map(_ -> on.toString): _*)(body)

  /** Plans a query with estimates of each of its nodes; why it cannot be planned. */
  protected def fault(sql: String): Option[String] = costBased(true) {
    Try {
      val execution = spark.sql(sql).queryExecution
      execution.optimizedPlan.foreach(_.stats)
      execution.sparkPlan
    }.failed.toOption.map(fault => s"$sql: $fault")
  }

  /** The rows of a query with the cost-based optimizer, and without it. */
  protected def rows(sql: String): (Seq[String], Seq[String]) =
    (costBased(true)(sorted(spark.sql(sql))), costBased(false)(sorted(spark.sql(sql))))

  protected def analyze(table: String, histograms: Boolean): Unit =
    withConf("spark.sql.statistics.histogram.enabled" -> histograms.toString) {
      spark.sql(s"ANALYZE TABLE $table COMPUTE STATISTICS FOR ALL COLUMNS")
    }

  protected def statistics(table: String): CatalogStatistics =
    SessionShim.catalog(spark).getTableMetadata(TableIdentifier(table)).stats.get

  protected def store(table: String, rows: Int, columns: Map[String, CatalogColumnStat]): Unit =
    SessionShim.catalog(spark).alterTableStats(
      TableIdentifier(table),
      Some(CatalogStatistics(1000, Some(rows), columns))
    )
}
