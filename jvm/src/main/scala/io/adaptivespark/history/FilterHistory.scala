package io.adaptivespark.history

import org.apache.spark.sql.Row

import io.adaptivespark.filter.sampling.FilterReport
import io.adaptivespark.history.bound.{EntrySize, Footprint, RecentEntries}
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.schema.TableFunctions

/** What recent filters learned: the last `Limit` executions of an operator that fit into `MostBytes`, of dbt's
  * runs, and as many of other queries.
  */
final private[adaptivespark] class FilterHistory {
  import FilterHistory._

  private val entries = new RecentEntries[Entry, Predicate](Limit, MostBytes, Size)(_.labels.isOfRun)

  def add(entry: Entry): Unit = entries.add(entry)

  /** Bytes of all entries, estimated. */
  def bytes: Long = entries.bytes

  /** One row a conjunct, in the columns of `adaptive_filter_stats()`. */
  def rows(isWanted: QueryLabels => Boolean): Seq[Row] =
    entries.all.filter(entry => isWanted(entry.labels)).flatMap { entry =>
      val report = entry.report.copy()
      entry.predicates.zipWithIndex.map { case (predicate, i) => row(entry, report, predicate, i) }
    }

  private def row(entry: Entry, report: FilterReport, predicate: Predicate, i: Int): Row = {
    val monitored = report.evidence.monitored(i)
    def each(total: Long): Option[Double] = if (monitored > 0) Some(total.toDouble / monitored) else None
    TableFunctions.FilterStats.row(
      "query_id" -> entry.labels.queryId,
      "query_tag" -> entry.labels.queryTag,
      "run_id" -> entry.labels.runId,
      "filter_id" -> entry.filterId,
      "predicate" -> predicate.text,
      "written_position" -> i,
      "final_position" -> report.finalPlaces(i),
      "rows_monitored" -> monitored,
      "selectivity" -> each(report.evidence.passed(i)),
      "cost_ns" -> each(report.evidence.nanos(i)),
      "reorderings" -> report.reorderings,
      "rows_in" -> report.rowsIn,
      "rows_out" -> report.rowsOut,
      "may_throw" -> predicate.mayThrow,
      "shape" -> predicate.shape,
      "branch" -> predicate.branch
    )
  }
}

private[adaptivespark] object FilterHistory {
  val Limit = 1000

  /** Bytes of the entries of dbt's runs, and of those of other queries.
    *
    * A filter of ten conjuncts takes about 1 KB besides its texts, which it has in common with its earlier
    * executions: 1,000 of them stay. One of 2,000 conjuncts takes about 70 KB besides 500 KB of texts:
    * some 200 executions of it stay.
    */
  val MostBytes: Long = 16L << 20

  /** A leaf of a filter's condition.
    *
    * @param text
    *   as the session shows it
    * @param branch
    *   the AND and OR nodes above it, such as `OR 1 / AND 3`; none where it is a conjunct of the whole condition
    */
  final case class Predicate(text: String, shape: String, mayThrow: Boolean, branch: Option[String])

  /** One execution. What it learns is read from its report, so an unfinished query shows what is known so far.
    *
    * @param predicates
    *   by leaf
    */
  final case class Entry(
      labels: QueryLabels,
      filterId: Long,
      report: FilterReport,
      predicates: Seq[Predicate]
  )

  private object Size extends EntrySize[Entry, Predicate] {
    override def own(entry: Entry): Long = 2 * Footprint.OfObject + Footprint.of(entry.labels) +
      entry.predicates.size * OfReference + entry.report.bytes
    override def parts(entry: Entry): Seq[Predicate] = entry.predicates
    override def ofPart(of: Predicate): Long =
      2 * Footprint.OfObject + Footprint.of(of.text) + Footprint.of(of.shape) +
        of.branch.fold(0L)(Footprint.of)
    override def withParts(entry: Entry, parts: Seq[Predicate]): Entry = entry.copy(predicates = parts)
  }

  private val OfReference = 8L
}
