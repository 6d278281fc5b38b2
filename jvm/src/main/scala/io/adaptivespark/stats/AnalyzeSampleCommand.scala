package io.adaptivespark.stats

import org.apache.spark.sql.{classic, DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat
import org.apache.spark.sql.execution.adaptivespark.ColumnStatistics
import org.apache.spark.sql.execution.command.{AnalyzeColumnCommand, LeafRunnableCommand}
import org.apache.spark.sql.functions.{count, count_if, lit}

/** Statistics of columns from a sample: each row is looked at with the chance `fraction`. All of the columns' pages are read, but counting, not reading, is
  * what takes the time of ANALYZE.
  *
  * A sample too small to tell is no use: `whole`, Spark's own command, then reads everything, as it does where a column is none of the table's, which is its error.
  */
private[stats] final case class AnalyzeSampleCommand(whole: AnalyzeColumnCommand, fraction: Double)
    extends LeafRunnableCommand {
  import AnalyzeSampleCommand._

  override def run(session: SparkSession): Seq[Row] = {
    val name = StatsShim.catalog(session).qualifyIdentifier(whole.tableIdent)
    val sample = session.table(name.quotedString).sample(withReplacement = false, fraction, Seed)
    wanted(session, sample).flatMap(collected(session, sample, _)) match {
      case Some(statistics) => store(session, name, statistics)
      case None => whole.run(session)
    }
    Nil
  }

  private def wanted(session: SparkSession, sample: DataFrame): Option[Seq[Attribute]] = {
    val output = sample.queryExecution.analyzed.output
    val resolver = session.asInstanceOf[classic.SparkSession].sessionState.conf.resolver
    val found = whole.columnNames.fold(output.map(Option(_)))(_.map(name =>
      output.find(each => resolver(each.name, name))
    ))
    Option.when(found.forall(_.isDefined))(found.flatten)
  }

  /** The table's rows, and the statistics of its columns; None where the sample is too small. */
  private def collected(
      session: SparkSession,
      sample: DataFrame,
      columns: Seq[Attribute]
  ): Option[(BigInt, Map[Attribute, ColumnStat])] = {
    val estimate = SampleEstimate(fraction)
    val (rows, seen) = ColumnStatistics.of(session, sample.queryExecution.analyzed, columns)
    Option.when(rows >= FewestRows)(
      estimate.scaled(rows) -> seen.map { case (column, of) =>
        val values = BigInt(rows) - of.nullCount.getOrElse(0)
        val roughly = of.distinctCount.getOrElse(BigInt(0))
        val (distinct, single) =
          if (roughly * OftenEnough < values) (roughly, BigInt(0)) else exactly(sample, column)
        column -> estimate.column(of, estimate.distinct(values, distinct, single))
      }
    )
  }

  /** Values of a column of the sample, and those that stand in one row only. */
  private def exactly(sample: DataFrame, column: Attribute): (BigInt, BigInt) = {
    val value = sample.col(s"`${column.name.replace("`", "``")}`")
    val counted = sample.where(value.isNotNull).groupBy(value).agg(count(lit(1)).as("rows"))
    val row = counted.agg(count(lit(1)), count_if(counted.col("rows") === 1)).head()
    (row.getLong(0), row.getLong(1))
  }

  private def store(
      session: SparkSession,
      name: TableIdentifier,
      statistics: (BigInt, Map[Attribute, ColumnStat])
  ): Unit = {
    val (rows, of) = statistics
    val catalog = StatsShim.catalog(session)
    val table = catalog.getTableMetadata(name)
    val columns = of.map { case (column, seen) =>
      column.name -> seen.toCatalogColumnStat(column.name, column.dataType)
    }
    val known = table.stats.fold(columns)(_.colStats ++ columns)
    catalog.alterTableStats(
      name,
      Some(CatalogStatistics(ColumnStatistics.size(session, table), Some(rows), known))
    )
  }
}

private object AnalyzeSampleCommand {
  // the same rows each time: statistics of a table that did not change don't either
  private val Seed = 0L
  // a share of 1 % is then known to within 10 % of itself
  private val FewestRows = 10000L
  // a value of which the sample has this many is hardly missed by it
  private val OftenEnough = 50
}
