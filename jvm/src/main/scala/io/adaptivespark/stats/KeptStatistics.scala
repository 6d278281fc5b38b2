package io.adaptivespark.stats

import scala.collection.mutable

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, SessionCatalog}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.StructType

/** Statistics over a write that turns out to change nothing: Spark forgets a table's with any write, one of no rows included. */
object KeptStatistics {
  private val Limit = 1000
  private val schema = StructType.fromDDL("done BOOLEAN")
  // with the time at which the table was made: one that is made anew is another
  private val kept = mutable.LinkedHashMap.empty[TableIdentifier, (Long, CatalogStatistics)]

  /** `adaptive_keep_statistics(schema, table)`: notes them; whether there were any. */
  def keep(session: SparkSession, arguments: Seq[Expression]): LogicalPlan =
    answer(session, "adaptive_keep_statistics", arguments) { (catalog, table) =>
      val now = catalog.getTableMetadata(table)
      val known = now.stats.filter(_.colStats.nonEmpty)
      kept.remove(table)
      known.foreach(statistics => kept.update(table, (now.createTime, statistics)))
      if (kept.size > Limit) kept -= kept.head._1
      known.isDefined
    }

  /** `adaptive_restore_statistics(schema, table)`: puts back what was noted, once; whether that was needed. For when the table holds the same rows. */
  def restore(session: SparkSession, arguments: Seq[Expression]): LogicalPlan =
    answer(session, "adaptive_restore_statistics", arguments) { (catalog, table) =>
      val now = catalog.getTableMetadata(table)
      val noted = kept.remove(table).collect {
        case (made, statistics) if made == now.createTime && now.stats.forall(_.colStats.isEmpty) =>
          statistics
      }
      noted.foreach(statistics => catalog.alterTableStats(table, Some(statistics)))
      noted.isDefined
    }

  private def answer(session: SparkSession, function: String, arguments: Seq[Expression])(
      act: (SessionCatalog, TableIdentifier) => Boolean
  ): LogicalPlan = TableNames(function, arguments) match {
    case Seq(database, name) =>
      val (catalog, table) = (StatsShim.catalog(session), TableIdentifier(name, Some(database)))
      val done = catalog.tableExists(table) && synchronized(act(catalog, table))
      LocalRelation.fromExternalRows(toAttributes(schema), Seq(Row(done)))
    case _ => throw new IllegalArgumentException(s"$function takes a schema and a table")
  }
}
