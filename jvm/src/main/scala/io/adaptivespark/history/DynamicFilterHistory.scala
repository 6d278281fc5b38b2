package io.adaptivespark.history

import scala.concurrent.Future

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.metric.SQLMetric

import io.adaptivespark.history.bound.{EntrySize, Footprint, RecentEntries}
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.schema.TableFunctions

/** What became of recent dynamic filters: the last `Limit` whose keys were asked for, and as many of those that were
  * refused before; of dbt's runs, and of others; each of these four as far as they fit into `MostBytes`.
  */
final private[adaptivespark] class DynamicFilterHistory {
  import DynamicFilterHistory._

  private val entries =
    new RecentEntries[Entry, String](Limit, MostBytes, Size)(entry =>
      (entry.labels.isOfRun, entry.found.isDefined)
    )

  /** Adaptive execution plans a query several times: what it refuses again is the same entry.
    *
    * @return
    *   whether it was new
    */
  def add(entry: Entry): Boolean = entries.add(entry)

  /** Bytes of all entries, estimated. */
  def bytes: Long = entries.bytes

  /** One row a filter, in the columns of `dynamic_filter_stats()`. */
  def rows(isWanted: QueryLabels => Boolean): Seq[Row] =
    entries.all.filter(entry => isWanted(entry.labels)).map { entry =>
      val (found, scanned) = (entry.found, entry.scanned)
      TableFunctions.DynamicFilterStats.row(
        "query_id" -> entry.labels.queryId,
        "query_tag" -> entry.labels.queryTag,
        "run_id" -> entry.labels.runId,
        "scan" -> entry.scan,
        "probe_key" -> entry.probeKey,
        "build_key" -> entry.buildKey,
        "build_rows" -> found.map(_.rows),
        "build_keys" -> found.flatMap(_.keys),
        "kind" -> found.map(_.kind),
        "ranges" -> found.map(_.ranges),
        "row_test" -> found.flatMap(_.rowTest),
        "rows_total" -> scanned.flatMap(_.total),
        "rows_read" -> scanned.flatMap(_.rows).map(_()),
        "kept" -> scanned.flatMap(_.kept),
        "bytes_total" -> scanned.flatMap(_.bytes).map(_.value),
        "bytes_read" -> scanned.flatMap(_.bytesRead).map(_()),
        "files" -> scanned.flatMap(_.files),
        "files_read" -> scanned.flatMap(_.filesRead).map(_()),
        "row_groups" -> scanned.flatMap(_.rowGroups).map(_()),
        "row_groups_read" -> scanned.flatMap(_.rowGroupsRead).map(_()),
        "wait_ms" -> found.map(_.waitMillis),
        "verdict" -> entry.verdict.text,
        "verdict_code" -> entry.verdict.code,
        "verdict_figures" -> Option(entry.verdict.figuresByName).filter(_.nonEmpty),
        "signature" -> entry.signature
      )
    }
}

private[adaptivespark] object DynamicFilterHistory {
  val Limit = 1000

  /** Bytes of the entries of a kind: 4 KB each, if all are different. Texts of 500 characters a filter take 3 KB. */
  val MostBytes: Long = 4L << 20

  /** A filter of a scan, placed or refused.
    *
    * @param scan
    *   the table or directory that is read
    * @param probeKey,buildKey
    *   the two sides of the join's equality
    * @param signature
    *   of a filter, or of one that earlier runs found useless: equal in the next query with the same join
    * @param found
    *   the build side, if it was read
    * @param scanned
    *   counts of the scan: rows it returned, bytes of its files
    */
  final case class Entry(
      labels: QueryLabels,
      scan: String,
      probeKey: String,
      buildKey: String,
      verdict: Verdict,
      signature: Option[String],
      found: Option[Found],
      scanned: Option[Scanned]
  )

  /** Keys of a build side.
    *
    * @param rows
    *   rows with a key that is not null
    * @param keys
    *   distinct keys, if they are few enough to count
    * @param kind
    *   `empty`, `values` or `ranges`
    * @param rowTest
    *   test of each row, `bitmap`, `set` or `bloom`; none if rows are not tested
    */
  final case class Found(
      rows: Long,
      keys: Option[Long],
      kind: String,
      ranges: Int,
      rowTest: Option[String],
      waitMillis: Long
  )

  /** Counts of a scan, which change while it runs. Row groups, and bytes of them, are counted only on
    * request.
    *
    * @param allRows
    *   rows that there would be without filters, estimated
    * @param passing
    *   share of the rows read that pass further tests
    * @param files
    *   those that there would be to read without filters
    */
  final case class Scanned(
      rows: Option[() => Long],
      allRows: Future[Long],
      passing: () => Double,
      bytes: Option[SQLMetric],
      bytesRead: Option[() => Long],
      files: Option[Long],
      filesRead: Option[() => Long],
      rowGroups: Option[() => Long],
      rowGroupsRead: Option[() => Long]
  ) {

    /** Rows without filters; none as long as they are not known. */
    def total: Option[Long] = allRows.value.flatMap(_.toOption)

    /** Share of all rows that the filters of this scan kept so far. */
    def kept: Option[Double] = for (read <- rows; all <- total if all > 0)
      yield math.min(read() * passing() / all, 1)
  }

  // An entry with its figures and counts; the metrics of one scan are those of all its filters.
  private val OfCounts = 1024L

  private object Size extends EntrySize[Entry, String] {
    override def own(entry: Entry): Long =
      OfCounts + Footprint.of(entry.labels) + Footprint.of(entry.verdict.text)
    override def parts(entry: Entry): Seq[String] =
      Seq(entry.scan, entry.probeKey, entry.buildKey) ++ entry.signature
    override def ofPart(text: String): Long = Footprint.OfObject + Footprint.of(text)
    override def withParts(entry: Entry, parts: Seq[String]): Entry = entry.copy(
      scan = parts(0),
      probeKey = parts(1),
      buildKey = parts(2),
      signature = parts.lift(3)
    )
  }
}
