package io.adaptivespark.history

import scala.collection.mutable

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable}

/** Statistics of tables over a write that may turn out to change nothing, by the user who noted them. */
final private[adaptivespark] class KeptStatistics {
  // with the time at which the table was made: one that is made anew is another
  private val kept = mutable.LinkedHashMap.empty[(String, TableIdentifier), (Long, CatalogStatistics)]

  /** Notes a table's statistics; whether there were any. */
  def keep(user: String, table: CatalogTable): Boolean = synchronized {
    val known = table.stats.filter(_.colStats.nonEmpty)
    kept.remove((user, table.identifier))
    known.foreach(statistics => kept.update((user, table.identifier), (table.createTime, statistics)))
    if (kept.size > KeptStatistics.Limit) kept -= kept.head._1
    known.isDefined
  }

  /** What was noted of a table that has lost its statistics since, once. */
  def take(user: String, table: CatalogTable): Option[CatalogStatistics] = synchronized {
    kept.remove((user, table.identifier)).collect {
      case (made, statistics) if made == table.createTime && table.stats.forall(_.colStats.isEmpty) =>
        statistics
    }
  }
}

private object KeptStatistics {

  // As many nodes as are built at a time, with room to spare; the entry of one that wrote rows waits until it is pushed out.
  private val Limit = 100
}
