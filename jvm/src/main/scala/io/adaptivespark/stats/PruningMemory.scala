package io.adaptivespark.stats

import com.google.common.cache.{Cache, CacheBuilder}

/** The share of its scan's rows that a dynamic filter kept when it last ran: in this application, or in an earlier run.
  *
  * A filter that was not worth waiting for is left out for a few queries, and then tried again: its tables may have changed.
  */
object PruningMemory {
  private val Limit = 1000L

  /** Queries that a filter is left out of before it is tried again. */
  val Patience = 4

  // A run's evidence of a filter is this many rows for the adapter, which halves them with each run that leaves the filter out.
  private val RowsOfRun = 1000L

  /** @param kept
    *   the share, once it is known
    * @param leftOut
    *   queries since then that did without the filter
    */
  final private case class Known(kept: () => Option[Double], leftOut: Int)

  private val known: Cache[String, Known] = CacheBuilder.newBuilder.maximumSize(Limit).build[String, Known]()

  /** Remembers what a filter will have kept by the time that the next query asks. */
  def learn(signature: String, kept: () => Option[Double]): Unit = known.put(signature, Known(kept, 0))

  /** Counts a query that did without the filter because of what is known of it. */
  def leftOut(signature: String): Unit =
    known.asMap.computeIfPresent(signature, (_, of) => of.copy(leftOut = of.leftOut + 1))

  /** The share that `signature` is expected to keep; none where nothing is known, or it is time to look again.
    *
    * @param earlier
    *   what earlier runs learned, as [[FilterMemory.prior]] takes it
    */
  def expected(signature: String, earlier: String): Option[Double] =
    Option(known.getIfPresent(signature)) match {
      case Some(of) => if (of.leftOut < Patience) of.kept() else None
      case None => FilterMemory.prior(IndexedSeq(signature), earlier)
          .filter(_.monitored(0) > (RowsOfRun >> Patience))
          .map(seen => seen.passed(0).toDouble / seen.monitored(0))
    }

  def clear(): Unit = known.invalidateAll()
}
