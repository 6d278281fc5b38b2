package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, LogicalPlan}
import org.apache.spark.sql.execution.command.CommandUtils
import org.apache.spark.sql.internal.SQLConf

import io.adaptivespark.shim.SessionShim

/** Spark's own ANALYZE, over any plan: `CommandUtils.computeColumnStats` is private[sql]. */
object ColumnStatistics {

  /** The plan's rows, and the statistics of some of its columns. */
  def of(
      session: SparkSession,
      plan: LogicalPlan,
      columns: Seq[Attribute]
  ): (Long, Map[Attribute, ColumnStat]) =
    CommandUtils.computeColumnStats(SessionShim.local(session), plan, columns)

  /** The same, without histograms, whatever the session says. */
  def withoutHistograms(
      session: SparkSession,
      plan: LogicalPlan,
      columns: Seq[Attribute]
  ): (Long, Map[Attribute, ColumnStat]) = {
    // a server may have many connections share their session
    val own = SessionShim.local(session).cloneSession()
    own.sessionState.conf.setConf(SQLConf.HISTOGRAM_ENABLED, false)
    of(own, plan, columns)
  }

  /** The bytes of a table's files. */
  def size(session: SparkSession, table: CatalogTable): BigInt =
    CommandUtils.calculateTotalSize(SessionShim.local(session), table)._1
}
