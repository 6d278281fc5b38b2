package io.adaptivespark.history

import org.apache.spark.SparkContext
import org.apache.spark.sql.Row

import io.adaptivespark.conf.FilterSettings
import io.adaptivespark.filter.sampling.FilterReport
import io.adaptivespark.schema.TableFunctions

/** The driver's memory of what recent filters learned: the last `Limit` executions of an operator, of dbt's
  * runs and as many of other queries.
  */
object FilterHistory {
  val Limit = 1000

  /** A leaf's text as the session shows it, its shape, and whether it may throw. */
  final case class Predicate(text: String, shape: String, mayThrow: Boolean)

  /** One execution. What it learned is read from its report, so an unfinished query shows what is known so
    * far.
    *
    * @param predicates
    *   by conjunct
    */
  final case class Entry(
      queryId: Option[Long],
      queryTag: String,
      runId: String,
      filterId: Long,
      report: FilterReport,
      predicates: Seq[Predicate]
  ) extends QueryLabels

  private val entries = new RecentEntries[Entry](Limit)(_.isOfRun)

  /** The entry of an execution in this thread's session and query.
    *
    * @param predicates
    *   by leaf, its text and whether it may throw
    */
  def entry(
      context: SparkContext,
      filterId: Long,
      report: FilterReport,
      predicates: Seq[Predicate],
      settings: FilterSettings
  ): Entry = Entry(
    QueryId.of(context),
    settings.queryTag,
    settings.runId,
    filterId,
    report,
    predicates
  )

  def add(entry: Entry): Unit = entries.add(entry)

  /** One row a conjunct, in the columns of `adaptive_filter_stats()`. */
  def rows(isWanted: Entry => Boolean = _ => true): Seq[Row] =
    entries.all.filter(isWanted).flatMap { entry =>
      val report = entry.report.copy()
      entry.predicates.zipWithIndex.map { case (predicate, i) => row(entry, report, predicate, i) }
    }

  private def row(entry: Entry, report: FilterReport, predicate: Predicate, i: Int): Row = {
    val monitored = report.evidence.monitored(i)
    def each(total: Long): Option[Double] = Option.when(monitored > 0)(total.toDouble / monitored)
    TableFunctions.FilterStats.row(
      "query_id" -> entry.queryId,
      "query_tag" -> entry.queryTag,
      "run_id" -> entry.runId,
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
      "shape" -> predicate.shape
    )
  }
}
