package io.adaptivespark.history

import org.apache.spark.sql.Row

import io.adaptivespark.history.bound.{EntrySize, Footprint, RecentEntries}
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.schema.TableFunctions

/** How recent plans turned out: the last `Limit` differences between what was planned and what was that fit into
  * `MostBytes`, of dbt's runs, and as many of other queries.
  */
final private[adaptivespark] class PlanHistory {
  import PlanHistory._

  private val entries = new RecentEntries[Entry, String](Limit, MostBytes, Size)(_.labels.isOfRun)

  /** A difference that is there already is not added again. */
  def add(entry: Entry): Unit = entries.add(entry)

  /** Bytes of all entries, estimated. */
  def bytes: Long = entries.bytes

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

  /** Bytes of the entries of a kind: 4 KB each, if all are different. Names of tables are cut at 2,000 characters. */
  val MostBytes: Long = 4L << 20

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

  private object Size extends EntrySize[Entry, String] {
    override def own(entry: Entry): Long = 4 * Footprint.OfObject + Footprint.of(entry.labels)
    override def parts(entry: Entry): Seq[String] =
      Seq(entry.node, entry.tables, entry.planned, entry.actual)
    override def ofPart(text: String): Long = Footprint.OfObject + Footprint.of(text)
    override def withParts(entry: Entry, parts: Seq[String]): Entry =
      entry.copy(node = parts(0), tables = parts(1), planned = parts(2), actual = parts(3))
  }
}
