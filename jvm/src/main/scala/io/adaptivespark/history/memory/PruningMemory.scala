package io.adaptivespark.history.memory

import java.util.concurrent.atomic.AtomicLong

import com.google.common.cache.{Cache, CacheBuilder}

import io.adaptivespark.history.bound.Footprint

/** The share of its scan's rows that a dynamic filter kept when it last ran: in this application, or in an earlier run.
  *
  * A filter that was not worth waiting for twice in a row, as one of them may have had other constants, is left out of
  * a few queries, and then tried again: its tables may have changed. What one model learned says nothing of another.
  */
final private[adaptivespark] class PruningMemory {
  import PruningMemory._

  private val known: Cache[Key, Known] =
    // one segment: more would divide the bytes among them
    CacheBuilder.newBuilder.concurrencyLevel(1).maximumWeight(MostBytes)
      .weigher((key: Key, _: Known) => weight(key)).build[Key, Known]()

  // Queries that Spark gives no id are told from each other by numbers that it never gives.
  private val nameless = new AtomicLong

  /** Remembers what a filter of `query` will have kept by the time that the next one asks: of scans that share the
    * filter's name in a query, as of two schemas, the least.
    */
  def learn(key: Key, query: Option[Long], kept: Kept): Unit = known.asMap.compute(
    key,
    (_, last) =>
      Option(last) match {
        case Some(of) if query.isDefined && of.learner == query =>
          Known(() => (of.kept() ++ kept()).reduceOption(math.min(_, _)), of.before, query)
        case earlier => Known(kept, earlier.fold[Kept](() => None)(_.kept), query)
      }
  )

  /** The share that the filter is expected to keep in `query`; none where nothing is
    * known, or it is time to look again.
    *
    * Adaptive execution asks several times for a query and gets the same answer.
    *
    * @param earlier
    *   what earlier runs learned
    */
  def expected(key: Key, query: Option[Long], earlier: Prior): Option[Double] =
    Option(known.getIfPresent(key)) match {
      case Some(of) =>
        val isAsked = query.isEmpty || of.learner != query
        if (isAsked && (of.without.size < Patience || query.exists(of.without))) of.least else None
      case None => earlier.kept.get(key.signature)
    }

  /** Counts `query` among those that did without a filter that kept the share `kept`. */
  def leaveOut(key: Key, query: Option[Long], kept: Double): Unit = {
    val id = query.getOrElse(nameless.decrementAndGet())
    known.asMap.compute(
      key,
      (_, last) => {
        val of = Option(last).getOrElse(Known(() => Some(kept), () => Some(kept), None))
        of.copy(without = of.without + id)
      }
    )
  }

  def clear(): Unit = known.invalidateAll()

  /** Filters that something is known of. */
  def size: Long = known.size
}

private[adaptivespark] object PruningMemory {

  /** Filters, of which each that is not larger than usual takes an equal share of `MostBytes`. */
  private val Limit = 1000L

  /** Bytes of all.
    *
    * A signature has about 320 characters at most, and the counts that a filter is judged by take 2 KB.
    */
  private[history] val MostBytes: Long = 4L << 20
  private val OfCounts = 2048L

  /** Queries that a filter is left out of before it is tried again. */
  val Patience = 4

  /** A filter of the queries with one label.
    *
    * @param learners
    *   who may learn from them (see [[DriverMemory.learners]])
    */
  final case class Key(learners: String, signature: String, tag: String)

  // What is larger than all that there may be would not stay, though it is the newest.
  private def weight(of: Key): Int = {
    val texts = Footprint.of(of.learners) + Footprint.of(of.signature) + Footprint.of(of.tag)
    (texts + OfCounts).max(MostBytes / Limit).min(MostBytes).toInt
  }

  type Kept = () => Option[Double]

  /** @param kept
    *   the share, once it is known
    * @param before
    *   that of the query before
    * @param learner
    *   the query that it is known from, where that is one of this application
    * @param without
    *   the queries since then that did without the filter
    */
  final private case class Known(
      kept: Kept,
      before: Kept,
      learner: Option[Long],
      without: Set[Long] = Set.empty
  ) {

    /** What it kept at least, in either. */
    def least: Option[Double] = for (last <- kept(); previous <- before()) yield math.min(last, previous)
  }
}
