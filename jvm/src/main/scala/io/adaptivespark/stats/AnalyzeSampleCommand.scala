package io.adaptivespark.stats

import org.apache.spark.sql.{classic, Column, DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat
import org.apache.spark.sql.execution.adaptivespark.ColumnStatistics
import org.apache.spark.sql.execution.command.{AnalyzeColumnCommand, LeafRunnableCommand}
import org.apache.spark.sql.functions.{
  array,
  count,
  count_if,
  explode,
  lit,
  pmod,
  struct,
  sum,
  when,
  xxhash64
}
import org.apache.spark.storage.StorageLevel

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
    wanted(session, session.table(name.quotedString)).flatMap(collected(session, _)) match {
      case Some(statistics) => store(session, name, statistics)
      case None => whole.run(session)
    }
    Nil
  }

  private def wanted(session: SparkSession, table: DataFrame): Option[DataFrame] = {
    val output = table.queryExecution.analyzed.output
    val resolver = session.asInstanceOf[classic.SparkSession].sessionState.conf.resolver
    val found = whole.columnNames.fold(output.map(Option(_)))(_.map(name =>
      output.find(each => resolver(each.name, name))
    ))
    Option.when(found.forall(_.isDefined)) {
      table.sample(withReplacement = false, fraction, Seed).select(found.flatten.map(each =>
        value(table, each)
      ): _*)
    }
  }

  /** The table's rows, and the statistics of the sample's columns; None where it is too small. A sample that fits is kept while it is read three times. */
  private def collected(
      session: SparkSession,
      sample: DataFrame
  ): Option[(BigInt, Map[Attribute, ColumnStat])] =
    if (sample.queryExecution.optimizedPlan.stats.sizeInBytes > MostKept) estimated(session, sample)
    else {
      val kept = sample.persist(StorageLevel.MEMORY_AND_DISK)
      try estimated(session, kept)
      finally kept.unpersist()
    }

  private def estimated(
      session: SparkSession,
      sample: DataFrame
  ): Option[(BigInt, Map[Attribute, ColumnStat])] = {
    val plan = sample.queryExecution.analyzed
    val estimate = SampleEstimate(fraction)
    val (rows, seen) = ColumnStatistics.of(session, plan, plan.output)
    Option.when(rows >= FewestRows) {
      val values = seen.map { case (column, of) => column -> (BigInt(rows) - of.nullCount.getOrElse(0)) }
      val roughly = seen.map { case (column, of) => column -> of.distinctCount.getOrElse(BigInt(0)) }
      val rare = roughly.filter { case (column, distinct) => distinct * OftenEnough >= values(column) }
      val counted = exactly(sample, rare.toSeq, values)
      estimate.scaled(rows) -> seen.map { case (column, of) =>
        val (distinct, single) = counted.getOrElse(column, (roughly(column), BigInt(0)))
        column -> estimate.column(of, estimate.distinct(values(column), distinct, single))
      }
    }
  }

  /** Values of columns of the sample, and those that stand in one row only, given roughly how many there are, and in how many rows. Of many, those are counted
    * whose hash is a multiple of some number, which leaves enough of them (Gibbons, Distinct Sampling, 2001).
    */
  private def exactly(
      sample: DataFrame,
      columns: Seq[(Attribute, BigInt)],
      filled: Map[Attribute, BigInt]
  ): Map[Attribute, (BigInt, BigInt)] =
    if (columns.isEmpty) Map.empty
    else {
      val every = columns.map { case (_, distinct) => (distinct / EnoughValues).max(1).toLong }
      val hashes = columns.map { case (column, _) => value(sample, column) }.zip(every).zipWithIndex.map {
        case ((of, each), at) =>
          val hash = xxhash64(of)
          when(of.isNotNull && pmod(hash, lit(each)) === 0, struct(lit(at).as("at"), hash.as("hash")))
      }
      val values = sample.select(explode(array(hashes: _*)).as("value"))
      val rows = values.where(values("value").isNotNull).groupBy("value").agg(count(lit(1)).as("rows"))
      val found =
        rows.groupBy("value.at").agg(count(lit(1)), count_if(rows("rows") === 1), sum("rows")).collect()
      found.map { row =>
        val at = row.getInt(0)
        val column = columns(at)._1
        val single = SampleEstimate.single(row.getLong(2), row.getLong(3), every(at), filled(column))
        column -> (BigInt(row.getLong(1)) * every(at), single)
      }.toMap
    }

  private def value(of: DataFrame, column: Attribute): Column = of.col(s"`${column.name.replace("`", "``")}`")

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
  // of this many values a share is known to within 1 %
  private val EnoughValues = 16384
  // bytes of a sample that is kept: it is read three times, and storage may be far away
  private val MostKept = BigInt(1L << 30)
  // a value of which the sample has this many is hardly missed by it
  private val OftenEnough = 50
}
