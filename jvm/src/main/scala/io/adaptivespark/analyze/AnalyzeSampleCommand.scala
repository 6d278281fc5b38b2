package io.adaptivespark.analyze

import org.apache.spark.sql.{Column, DataFrame, Encoders, Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat
import org.apache.spark.sql.execution.adaptivespark.{Collations, ColumnStatistics}
import org.apache.spark.sql.execution.command.{AnalyzeColumnCommand, LeafRunnableCommand}
import org.apache.spark.sql.functions.{
  array,
  count,
  count_if,
  explode,
  first,
  lit,
  pmod,
  struct,
  sum,
  udaf,
  when,
  xxhash64
}
import org.apache.spark.storage.StorageLevel

import io.adaptivespark.shim.SessionShim

/** Statistics of columns from a sample.
  *
  * All pages of the columns are read: counting, not reading, takes the time of ANALYZE. The table's rows
  * are not estimated if they are known, from `rowCount` or from statistics that still hold. An estimate
  * gets a mark. If the sample is too small, the whole table is counted. If a column is none of the table's,
  * `whole`, Spark's own command, says so.
  *
  * @param fraction
  *   chance of each row to be in the sample; 1 is the whole table
  * @param histograms
  *   columns that get histograms, if the session has Spark make any; none for all columns
  * @param rowCount
  *   rows of the table, if they are known
  */
private[adaptivespark] final case class AnalyzeSampleCommand(
    whole: AnalyzeColumnCommand,
    fraction: Double,
    histograms: Option[Seq[String]],
    rowCount: Option[BigInt]
) extends LeafRunnableCommand {
  import AnalyzeSampleCommand._

  override def run(session: SparkSession): Seq[Row] = {
    val catalog = SessionShim.catalog(session)
    val name = catalog.qualifyIdentifier(whole.tableIdent)
    val table = catalog.getTableMetadata(name)
    val size = ColumnStatistics.size(session, table)
    val known = rowCount.orElse(counted(table, size))
    wanted(session, session.table(name.quotedString)).flatMap(collected(session, _, size, known)) match {
      case Some(Collected(rows, isExact, columns)) => store(session, table, size, rows, isExact, columns)
      case None if fraction < 1 => copy(fraction = 1).run(session)
      case None => whole.run(session)
    }
    Nil
  }

  /** The rows of a table whose statistics hold, where ANALYZE counted them: of some tables that Spark makes from a
    * query it notes a wrong number.
    */
  private def counted(table: CatalogTable, size: BigInt): Option[BigInt] = table.stats
    .filter(of => of.sizeInBytes == size && of.colStats.nonEmpty && SampleMarks.ofRows(table).isEmpty)
    .flatMap(_.rowCount)

  private def wanted(session: SparkSession, table: DataFrame): Option[DataFrame] = {
    val output = table.queryExecution.analyzed.output
    // of all columns, those that the planner can use; of named ones, what was asked for
    def all = output.filter(each => UsableStatistics.isUsable(each.dataType))
    val found = whole.columnNames.fold(all.map(Option(_)))(_.map(name =>
      output.find(each => resolver(session)(each.name, name))
    ))
    if (found.forall(_.isDefined)) Some {
      val columns = found.flatten.distinct.map(value(table, _))
      val rows = if (fraction < 1) table.sample(withReplacement = false, fraction, Seed) else table
      rows.select(columns: _*)
    }
    else None
  }

  private def resolver(session: SparkSession): Resolver =
    SessionShim.resolver(session)

  /** The rows of a table of `size` bytes, and the statistics of the sample's columns; None where it is too small.
    *
    * A sample that fits is kept while it is read several times.
    */
  private def collected(
      session: SparkSession,
      sample: DataFrame,
      size: BigInt,
      known: Option[BigInt]
  ): Option[Collected] =
    if (fraction == 1) {
      val (rows, seen) = counted(session, sample)
      Some(Collected(rows, isExact = true, seen))
    } else if (BigDecimal(size) * fraction > MostKept) estimated(session, sample, known)
    else {
      val kept = sample.persist(StorageLevel.MEMORY_AND_DISK)
      try estimated(session, kept, known)
      finally kept.unpersist()
    }

  private def estimated(
      session: SparkSession,
      sample: DataFrame,
      known: Option[BigInt]
  ): Option[Collected] = {
    val (rows, seen) = counted(session, sample)
    if (rows >= FewestRows) Some {
      // a table has no fewer rows than a sample of it
      val all = known.filter(_ >= rows)
      val estimate = SampleEstimate(all.fold(fraction)(rows.toDouble / _.toDouble))
      val roughly = seen.map { case (column, of) => column -> of.distinctCount.getOrElse(BigInt(0)) }
      val distinct = roughly ++
        distinctValues(sample, estimate, roughly.toSeq)
      val estimated = all.getOrElse(estimate.scaled(rows))
      Collected(
        estimated,
        all.isDefined,
        seen.map { case (column, of) => column -> estimate.column(of, distinct(column), estimated) }
      )
    }
    else None
  }

  /** The sample's own rows and statistics. */
  private def counted(session: SparkSession, sample: DataFrame): (BigInt, Map[Attribute, ColumnStat]) = {
    val plan = sample.queryExecution.analyzed
    val (drawn, plain) = plan.output.partition(column =>
      histograms.forall(_.exists(resolver(session)(column.name, _)))
    )
    val found = Seq(
      if (drawn.nonEmpty) Some(ColumnStatistics.of(session, plan, drawn)) else None,
      if (plain.isEmpty && drawn.nonEmpty) None
      else Some(ColumnStatistics.withoutHistograms(session, plan, plain))
    ).flatten
    BigInt(found.head._1) -> found.flatMap(_._2).toMap
  }

  /** Distinct values of columns, given roughly how many the sample has, however frequent some of them are. */
  private def distinctValues(
      sample: DataFrame,
      estimate: SampleEstimate,
      columns: Seq[(Attribute, BigInt)]
  ): Map[Attribute, BigInt] = {
    val (many, few) = columns.partition { case (_, distinct) => distinct > EnoughValues }
    val found = ofFew(sample, few.map(_._1)) ++ ofMany(sample, many)
    found.map { case (column, (counts, every)) =>
      column -> (estimate.distinct(counts.rareRows, counts.rare, counts.single) + counts.frequent) * every
    }
  }

  private def ofFew(sample: DataFrame, columns: Seq[Attribute]): Map[Attribute, (ValueCounts, Long)] = {
    val counted = udaf(CountValues(OftenEnough), Encoders.LONG)
    val wanted = columns.map(column => counted(hashed(sample, column)))
    val found = if (columns.isEmpty) Row.empty else sample.select(wanted: _*).head()
    columns.zipWithIndex.map { case (column, at) => column -> ((counts(found.getStruct(at), 0), 1L)) }.toMap
  }

  /** Of many values, those are counted whose hash is a multiple of some number, which leaves enough of them
    * (Gibbons, Distinct Sampling, 2001).
    */
  private def ofMany(
      sample: DataFrame,
      columns: Seq[(Attribute, BigInt)]
  ): Map[Attribute, (ValueCounts, Long)] =
    if (columns.isEmpty) Map.empty
    else {
      val every = columns.map { case (_, distinct) => (distinct / EnoughValues).toLong }
      val hashes = columns.zip(every).zipWithIndex.map { case (((column, _), each), at) =>
        val hash = hashed(sample, column)
        when(pmod(hash, lit(each)) === 0, struct(lit(at).as("at"), hash.as("hash")))
      }
      val values = sample.select(explode(array(hashes: _*)).as("value"))
      val counted = values.where(values("value").isNotNull).groupBy("value")
        .agg(first("value.at").as("column"), count(lit(1)).as("rows"))
      val rows = counted("rows")
      val isRare = rows < OftenEnough
      val found = counted.groupBy("column").agg(
        first("column").as("of"),
        count_if(!isRare).as("frequent"),
        count_if(isRare).as("rare"),
        count_if(rows === 1).as("single"),
        sum(when(isRare, rows).otherwise(0)).as("rows")
      )
      found.select("of", "frequent", "rare", "single", "rows").collect().map { row =>
        val at = row.getInt(0)
        columns(at)._1 -> ((counts(row, 1), every(at)))
      }.toMap
    }

  private def counts(of: Row, from: Int): ValueCounts =
    ValueCounts(of.getLong(from), of.getLong(from + 1), of.getLong(from + 2), of.getLong(from + 3))

  // the hash of a null would be a number
  private def hashed(of: DataFrame, column: Attribute): Column =
    when(value(of, column).isNotNull, xxhash64(Collations.comparable(value(of, column), column.dataType)))

  private def value(of: DataFrame, column: Attribute): Column = of.col(s"`${column.name.replace("`", "``")}`")

  /** @throws IllegalStateException
    *   where the table has other rows by now: what was collected holds for none of its versions
    */
  private[analyze] def store(
      session: SparkSession,
      read: CatalogTable,
      size: BigInt,
      rows: BigInt,
      isExact: Boolean,
      of: Map[Attribute, ColumnStat]
  ): Unit = {
    val catalog = SessionShim.catalog(session)
    val columns = of.map { case (column, seen) =>
      column.name -> seen.toCatalogColumnStat(column.name, column.dataType)
    }
    val name = read.identifier
    val table = catalog.getTableMetadata(name)
    // a write drops its statistics; one of no bytes more, by another engine, is not seen
    if (
      table.createTime != read.createTime || (read.stats.nonEmpty && table.stats.isEmpty) ||
      ColumnStatistics.size(session, table) != size
    )
      throw new IllegalStateException(s"${name.unquotedString} was written while it was analyzed.")
    // before the statistics: until these are there, the marks hold for nothing
    val marked = SampleMarks.put(table, fraction, if (!isExact) Some(rows) else None, columns)
    if (marked.properties != table.properties) catalog.alterTable(marked)
    val known = table.stats.fold(columns)(_.colStats ++ columns)
    catalog.alterTableStats(name, Some(CatalogStatistics(size, Some(rows), known)))
  }
}

private object AnalyzeSampleCommand {

  /** What is known of a table once it was counted, or estimated. */
  private final case class Collected(rows: BigInt, isExact: Boolean, columns: Map[Attribute, ColumnStat])

  // the same rows each time: statistics of a table that did not change don't either
  private val Seed = 0L
  // a share of 1 % is then known to within 10 % of itself
  private val FewestRows = 10000L
  // of this many values a share is known to within 1 %
  private val EnoughValues = 16384
  // bytes of a sample that is kept: it is read several times, and storage may be far away
  private val MostKept = BigDecimal(1L << 30)
  // a value of which the sample has this many is hardly missed by it
  private val OftenEnough = 50
}
