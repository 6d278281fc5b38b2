package io.adaptivespark.history

import org.apache.spark.SparkContext
import org.apache.spark.sql.Row

import io.adaptivespark.schema.TableFunctions

/** The driver's memory of what adaptive execution changed: the last `Limit` changes of dbt's runs, and as
  * many of other queries.
  */
object PlanHistory {
  val Limit = 1000

  /** A change.
    *
    * @param kind
    *   `coalesced`, `split`, `join` or `rows`, see [[io.adaptivespark.schema.TableFunctions]]
    * @param stage
    *   number of the stage in the query's plan
    * @param tables
    *   tables that the stage read
    */
  final case class Entry(
      queryId: Option[Long],
      queryTag: String,
      runId: String,
      kind: String,
      stage: Option[Int],
      node: String,
      tables: String,
      planned: String,
      actual: String
  ) extends QueryLabels

  private val entries = new RecentEntries[Entry](Limit)(_.isOfRun)

  /** Adds what the query of this thread did; the same again is one entry. */
  def add(context: SparkContext, entry: Option[Long] => Entry): Unit = entries.add(entry(QueryId.of(context)))

  /** One row a difference, in the columns of `adaptive_plan_stats()`. */
  def rows(isWanted: Entry => Boolean = _ => true): Seq[Row] = entries.all.filter(isWanted).map { entry =>
    TableFunctions.PlanStats.row(
      "query_id" -> entry.queryId,
      "query_tag" -> entry.queryTag,
      "run_id" -> entry.runId,
      "kind" -> entry.kind,
      "stage" -> entry.stage,
      "node" -> entry.node,
      "tables" -> entry.tables,
      "planned" -> entry.planned,
      "actual" -> entry.actual
    )
  }
}
