package io.adaptivespark.function

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.adaptivespark.ColumnStatistics
import org.apache.spark.sql.execution.command.LeafRunnableCommand

import io.adaptivespark.history.DriverMemory
import io.adaptivespark.history.label.SessionUser
import io.adaptivespark.shim.SessionShim

/** Keeps statistics over a write that turns out to change nothing. Spark forgets a table's statistics with
  * every write, even of no rows.
  */
object StatisticsSnapshot {

  /** `adaptive_keep_statistics(schema, table)`: notes them; whether there were any. */
  def keep(arguments: Seq[Expression]): LogicalPlan =
    KeepStatisticsCommand(TableNames.identifier("adaptive_keep_statistics", arguments), Done.output)

  /** `adaptive_restore_statistics(schema, table)`: puts back what was noted, once; whether that was needed.
    *
    * For when the table holds the same rows.
    */
  def restore(arguments: Seq[Expression]): LogicalPlan =
    RestoreStatisticsCommand(TableNames.identifier("adaptive_restore_statistics", arguments), Done.output)
}

final private case class KeepStatisticsCommand(table: TableIdentifier, override val output: Seq[Attribute])
    extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = {
    val kept = DriverMemory.of(session.sparkContext).keptStatistics
    Seq(Row(TableNames.table(session, table).exists(kept.keep(SessionUser.current, _))))
  }
}

final private case class RestoreStatisticsCommand(table: TableIdentifier, override val output: Seq[Attribute])
    extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = {
    val kept = DriverMemory.of(session.sparkContext).keptStatistics
    // A write of no rows may add an empty file. Files that are gone had rows, and so had those of another writer.
    val noted = for {
      of <- TableNames.table(session, table)
      statistics <- kept.take(SessionUser.current, of)
      more = ColumnStatistics.size(session, of) - statistics.sizeInBytes
      if more >= 0 && more <= RestoreStatisticsCommand.EmptyFile
    } yield of.identifier -> statistics
    noted.foreach { case (name, statistics) =>
      SessionShim.catalog(session).alterTableStats(name, Some(statistics))
    }
    Seq(Row(noted.isDefined))
  }
}

private object RestoreStatisticsCommand {

  /** Bytes of a file without rows at most: its footer has the names of columns, and a schema of some hundred. */
  private val EmptyFile = 64 << 10
}
