package io.adaptivespark.stats

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.sql.Row

import io.adaptivespark.filter.{ConjunctPlan, FilterReport, FilterRun, FilterSettings}

/** The driver's memory of what recent filters learned: the last `Limit` executions of an operator. */
object FilterHistory {
  val Limit = 1000
  private val LongestPredicate = 2000

  private final case class Entry(
      queryId: Option[Long],
      run: FilterRun,
      predicates: Seq[(String, Boolean)],
      settings: FilterSettings
  )

  private val entries = mutable.Queue.empty[Entry]

  /** Remembers a run that is about to execute; what it learns is read from its accumulator, so an unfinished query shows what is known so far. */
  def add(context: SparkContext, run: FilterRun, plan: ConjunctPlan, settings: FilterSettings): Unit =
    synchronized {
      if (!entries.exists(_.run eq run)) {
        FilterMemory.add(run, plan.predicates)
        val predicates = plan.predicates.map(shorten).zip(plan.conjuncts.map(_.mayThrow))
        entries.enqueue(Entry(QueryId.of(context), run, predicates, settings))
        if (entries.size > Limit) entries.dequeue()
      }
    }

  /** One row a conjunct, in the columns of `adaptive_filter_stats()`. */
  def rows: Seq[Row] = synchronized(entries.toVector).flatMap { entry =>
    val report = entry.run.report.value
    entry.predicates.zipWithIndex.map { case ((predicate, mayThrow), i) =>
      row(entry, report, predicate, mayThrow, i)
    }
  }

  private def row(entry: Entry, report: FilterReport, predicate: String, mayThrow: Boolean, i: Int): Row = {
    val monitored = report.evidence.monitored(i)
    def each(total: Long): Option[Double] = Option.when(monitored > 0)(total.toDouble / monitored)
    Row(
      entry.queryId.orNull,
      entry.settings.queryTag,
      entry.settings.runId,
      entry.run.id,
      predicate,
      i,
      report.finalPositions(i),
      monitored,
      each(report.evidence.passed(i)).orNull,
      each(report.evidence.nanos(i)).orNull,
      report.reorderings,
      report.rowsIn,
      report.rowsOut,
      mayThrow
    )
  }

  private def shorten(sql: String): String =
    if (sql.length <= LongestPredicate) sql else sql.take(LongestPredicate - 1) + "…"
}
