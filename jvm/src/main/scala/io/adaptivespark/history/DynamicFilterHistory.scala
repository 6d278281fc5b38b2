package io.adaptivespark.history

import scala.concurrent.Future

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.metric.SQLMetric

/** What became of recent dynamic filters: the last `Limit`, and as many of those that were refused; of dbt's runs, and of others. */
final private[adaptivespark] class DynamicFilterHistory {
  import DynamicFilterHistory._

  private val entries =
    new RecentEntries[Entry](Limit)(entry => (entry.labels.isOfRun, entry.found.isDefined))

  /** Adaptive execution plans a query several times: what it refuses again is the same entry.
    *
    * @return
    *   whether it was new
    */
  def add(entry: Entry): Boolean = entries.add(entry)

  /** One row a filter, in the columns of `dynamic_filter_stats()`. */
  def rows(isWanted: QueryLabels => Boolean): Seq[Row] =
    entries.all.filter(entry => isWanted(entry.labels)).map { entry =>
      val (found, scanned) = (entry.found, entry.scanned)
      Row(
        entry.labels.queryId.orNull,
        entry.labels.queryTag,
        entry.labels.runId,
        entry.scan,
        entry.probeKey,
        entry.buildKey,
        found.map(_.rows).orNull,
        found.flatMap(_.keys).orNull,
        found.map(_.kind).orNull,
        found.map(_.ranges).orNull,
        found.flatMap(_.rowTest).orNull,
        scanned.flatMap(_.total).orNull,
        scanned.flatMap(_.rows).map(_()).orNull,
        scanned.flatMap(_.kept).orNull,
        scanned.flatMap(_.bytes).map(_.value).orNull,
        scanned.flatMap(_.bytesRead).map(_()).orNull,
        scanned.flatMap(_.rowGroups).map(_()).orNull,
        scanned.flatMap(_.rowGroupsRead).map(_()).orNull,
        found.map(_.waitMillis).orNull,
        entry.verdict.text,
        entry.verdict.code,
        Option(entry.verdict.figuresByName).filter(_.nonEmpty).orNull,
        entry.signature.orNull
      )
    }
}

private[adaptivespark] object DynamicFilterHistory {
  val Limit = 1000

  /** A filter of a scan, placed or refused.
    *
    * @param scan
    *   the table or the directory that is read
    * @param probeKey,buildKey
    *   the two sides of the join's condition
    * @param signature
    *   of a filter, or of one that is left out because of what it did before: the same in the next query with the same join
    * @param found
    *   what the build side held, where it was read
    * @param scanned
    *   what the scan counts: rows it gave, bytes of its files
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

  /** @param rows
    *   with a key that is not null
    * @param keys
    *   distinct ones, where they were few enough to tell
    * @param kind
    *   `empty`, `values` or `ranges`
    * @param rowTest
    *   what each row is tested by, `bitmap`, `set` or `bloom`; none where rows are not tested
    */
  final case class Found(
      rows: Long,
      keys: Option[Long],
      kind: String,
      ranges: Int,
      rowTest: Option[String],
      waitMillis: Long
  )

  /** What counts while a scan goes on; row groups, and bytes of them, only where they are counted.
    *
    * @param allRows
    *   that there would be without filters, roughly
    * @param passing
    *   share of the rows read that further tests let pass
    */
  final case class Scanned(
      rows: Option[() => Long],
      allRows: Future[Long],
      passing: () => Double,
      bytes: Option[SQLMetric],
      bytesRead: Option[() => Long],
      rowGroups: Option[() => Long],
      rowGroupsRead: Option[() => Long]
  ) {

    /** None as long as it is not known, or if it never will be. */
    def total: Option[Long] = allRows.value.flatMap(_.toOption)

    /** The share of all rows that the filters of this scan kept, so far. */
    def kept: Option[Double] = for (read <- rows; all <- total if all > 0)
      yield math.min(read() * passing() / all, 1)
  }
}
