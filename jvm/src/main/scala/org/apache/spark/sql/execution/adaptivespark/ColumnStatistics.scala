package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.{classic, Column, SparkSession}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, CollationKey}
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, LogicalPlan}
import org.apache.spark.sql.classic.ExpressionUtils
import org.apache.spark.sql.execution.command.CommandUtils
import org.apache.spark.sql.internal.SQLConf

/** Spark's own ANALYZE, over any plan: `CommandUtils.computeColumnStats` is private[sql]. */
object ColumnStatistics {

  /** The plan's rows, and the statistics of some of its columns. */
  def of(
      session: SparkSession,
      plan: LogicalPlan,
      columns: Seq[Attribute]
  ): (Long, Map[Attribute, ColumnStat]) =
    CommandUtils.computeColumnStats(session.asInstanceOf[classic.SparkSession], plan, columns)

  /** The same, without histograms, whatever the session says. */
  def withoutHistograms(
      session: SparkSession,
      plan: LogicalPlan,
      columns: Seq[Attribute]
  ): (Long, Map[Attribute, ColumnStat]) = {
    // a server may have many connections share their session
    val own = session.asInstanceOf[classic.SparkSession].cloneSession()
    own.sessionState.conf.setConf(SQLConf.HISTOGRAM_ENABLED, false)
    of(own, plan, columns)
  }

  /** What is the same of two texts that their collation takes for one; no function of SQL gives it. */
  def collationKey(text: Column): Column =
    ExpressionUtils.column(CollationKey(ExpressionUtils.expression(text)))

  /** The bytes of a table's files. */
  def size(session: SparkSession, table: CatalogTable): BigInt =
    CommandUtils.calculateTotalSize(session.asInstanceOf[classic.SparkSession], table)._1
}
