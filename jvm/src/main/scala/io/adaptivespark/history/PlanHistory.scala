package io.adaptivespark.history

import org.apache.spark.sql.Row

/** How recent plans turned out: the last `Limit` differences between what was planned and what was, of dbt's runs and of other queries. */
final private[adaptivespark] class PlanHistory {
  import PlanHistory._

  private val entries = new RecentEntries[Entry](Limit)(_.labels.isOfRun)

  /** A difference that is there already is not added again. */
  def add(entry: Entry): Unit = entries.add(entry)

  /** One row a difference, in the columns of `adaptive_plan_stats()`. */
  def rows(isWanted: QueryLabels => Boolean): Seq[Row] =
    entries.all.filter(entry => isWanted(entry.labels)).map { entry =>
      Row(
        entry.labels.queryId.orNull,
        entry.labels.queryTag,
        entry.labels.runId,
        entry.kind,
        entry.stage.orNull,
        entry.node,
        entry.tables,
        entry.planned,
        entry.actual
      )
    }
}

private[adaptivespark] object PlanHistory {
  val Limit = 1000

  /** @param kind
    *   `coalesced`: partitions of a shuffle; `split`: its skewed partitions and what became of them; `join`: the operator; `rows`: those of a stage
    * @param stage
    *   which stage of the query, as in its plan
    * @param tables
    *   that were read for it
    */
  final case class Entry(
      labels: QueryLabels,
      kind: String,
      stage: Option[Int],
      node: String,
      tables: String,
      planned: String,
      actual: String
  )
}
