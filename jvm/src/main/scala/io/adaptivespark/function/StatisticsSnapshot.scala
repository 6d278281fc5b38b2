package io.adaptivespark.function

import scala.collection.mutable

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable, SessionCatalog}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.StructType

import io.adaptivespark.shim.SessionShim

/** Keeps statistics over a write that turns out to change nothing. Spark forgets a table's statistics with
  * every write, even of no rows.
  */
object StatisticsSnapshot {
  private val Limit = 1000
  private val schema = StructType.fromDDL("done BOOLEAN")
  // with the time at which the table was made: one that is made anew is another
  private val kept = mutable.LinkedHashMap.empty[TableIdentifier, (Long, CatalogStatistics)]

  /** `adaptive_keep_statistics(schema, table)`: remembers the table's statistics. True if there were any.
    */
  def keep(session: SparkSession, arguments: Seq[Expression]): LogicalPlan =
    answer(session, "adaptive_keep_statistics", arguments) { (_, table) =>
      val known = table.stats.filter(_.colStats.nonEmpty)
      kept.remove(table.identifier)
      known.foreach(statistics => kept.update(table.identifier, (table.createTime, statistics)))
      if (kept.size > Limit) kept -= kept.head._1
      known.isDefined
    }

  /** `adaptive_restore_statistics(schema, table)`: puts remembered statistics back, once, for a table that
    * holds the same rows. True if they were missing.
    */
  def restore(session: SparkSession, arguments: Seq[Expression]): LogicalPlan =
    answer(session, "adaptive_restore_statistics", arguments) { (catalog, table) =>
      val noted = kept.remove(table.identifier).collect {
        case (made, statistics) if made == table.createTime && table.stats.forall(_.colStats.isEmpty) =>
          statistics
      }
      noted.foreach(statistics => catalog.alterTableStats(table.identifier, Some(statistics)))
      noted.isDefined
    }

  private def answer(session: SparkSession, function: String, arguments: Seq[Expression])(
      act: (SessionCatalog, CatalogTable) => Boolean
  ): LogicalPlan = {
    val catalog = SessionShim.catalog(session)
    val table = TableNames.table(session, function, arguments)
    LocalRelation.fromExternalRows(
      toAttributes(schema),
      Seq(Row(table.exists(each => synchronized(act(catalog, each)))))
    )
  }
}
