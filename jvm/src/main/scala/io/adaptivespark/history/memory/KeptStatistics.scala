package io.adaptivespark.history.memory

import scala.collection.mutable

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable}

import io.adaptivespark.history.bound.Footprint

/** Statistics of tables over a write that may turn out to change nothing, by the user who noted them. */
final private[adaptivespark] class KeptStatistics {
  // with the time at which the table was made: one that is made anew is another
  private val kept = mutable.LinkedHashMap.empty[(String, TableIdentifier), (Long, CatalogStatistics)]

  /** Notes a table's statistics; whether there were any. */
  def keep(user: String, table: CatalogTable): Boolean = synchronized {
    val known = table.stats.filter(_.colStats.nonEmpty)
    kept.remove((user, table.identifier))
    known.foreach(statistics => kept.update((user, table.identifier), (table.createTime, statistics)))
    while (kept.size > KeptStatistics.Limit || (kept.size > 1 && bytes > KeptStatistics.MostBytes))
      kept -= kept.head._1
    known.isDefined
  }

  /** Bytes of all that is noted, estimated. */
  def bytes: Long = synchronized(kept.map { case ((user, _), (_, statistics)) =>
    2 * Footprint.OfObject + Footprint.of(user) + Footprint.of(statistics)
  }.sum)

  /** What was noted of a table that has lost its statistics since, once. */
  def take(user: String, table: CatalogTable): Option[CatalogStatistics] = synchronized {
    kept.remove((user, table.identifier)).collect {
      case (made, statistics) if made == table.createTime && table.stats.forall(_.colStats.isEmpty) =>
        statistics
    }
  }
}

private[history] object KeptStatistics {

  // As many nodes as are built at a time, with room to spare; the entry of one that wrote
  // rows waits until it is pushed out.
  private[history] val Limit = 100

  /** Bytes of all.
    *
    * The statistics of a hundred columns with histograms of 254 bins take about 1.3 MB; more of
    * them need not be built at a time.
    */
  private[history] val MostBytes: Long = 16L << 20
}
