package io.adaptivespark.history

import org.apache.spark.sql.Row

import io.adaptivespark.schema.TableFunctions

/** How recent plans turned out: the last `Limit` differences between what was planned and what was, of dbt's runs and of other queries. */
final private[adaptivespark] class PlanHistory {
  import PlanHistory._

  private val entries = new RecentEntries[Entry](Limit)(_.labels.isOfRun)

  /** A difference that is there already is not added again. */
  def add(entry: Entry): Unit = entries.add(entry)

  /** One row a difference, in the columns of `adaptive_plan_stats()`. */
  def rows(isWanted: QueryLabels => Boolean): Seq[Row] =
    entries.all.filter(entry => isWanted(entry.labels)).map { entry =>
      TableFunctions.PlanStats.row(
        "query_id" -> entry.labels.queryId,
        "query_tag" -> entry.labels.queryTag,
        "run_id" -> entry.labels.runId,
        "kind" -> entry.kind,
        "stage" -> entry.stage,
        "node" -> entry.node,
        "tables" -> entry.tables,
        "planned" -> entry.planned,
        "actual" -> entry.actual,
        "statistics" -> entry.statistics
      )
    }
}

private[adaptivespark] object PlanHistory {
  val Limit = 1000

  /** A change.
    *
    * @param kind
    *   `coalesced`, `split`, `join` or `rows`, see [[io.adaptivespark.schema.TableFunctions]]
    * @param stage
    *   number of the stage in the query's plan
    * @param tables
    *   tables that the stage read
    * @param statistics
    *   of `rows`: tables whose statistics may mend the estimate
    */
  final case class Entry(
      labels: QueryLabels,
      kind: String,
      stage: Option[Int],
      node: String,
      tables: String,
      planned: String,
      actual: String,
      statistics: Option[String] = None
  )
}
