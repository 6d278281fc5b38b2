package io.adaptivespark.history

import java.util.concurrent.atomic.AtomicLong

import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper
import com.google.common.cache.{Cache, CacheBuilder}

/** The share of its scan's rows that a dynamic filter kept when it last ran: in this application, or in an earlier run.
  *
  * A filter that was not worth waiting for twice in a row, as one of them may have had other constants, is left out of a few queries, and then tried again: its
  * tables may have changed. What one model learned says nothing of another.
  */
object PruningMemory {
  private val Limit = 1000L

  /** Queries that a filter is left out of before it is tried again. */
  val Patience = 4

  private type Kept = () => Option[Double]

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

  // By signature, and the label of its queries.
  private val known: Cache[(String, String), Known] =
    CacheBuilder.newBuilder.maximumSize(Limit).build[(String, String), Known]()
  private val json = new ObjectMapper

  // Queries that Spark gives no id are told from each other by numbers that it never gives.
  private val nameless = new AtomicLong

  /** Remembers what a filter of `query` will have kept by the time that the next one asks. */
  def learn(signature: String, tag: String, query: Option[Long], kept: Kept): Unit = known.asMap.compute(
    (signature, tag),
    (_, last) => {
      val before = Option(last).map(of => if (query.isDefined && of.learner == query) of.before else of.kept)
      Known(kept, before.getOrElse(() => None), query)
    }
  )

  /** The share that the filter is expected to keep in `query`; none where nothing is known, or it is time to look again.
    *
    * Adaptive execution asks several times for a query and gets the same answer.
    *
    * @param earlier
    *   what earlier runs learned: JSON, `{"version": 2, "joins": {"<signature>": <rows kept of 1,000>}}`, or empty; the less of two runs
    */
  def expected(signature: String, tag: String, query: Option[Long], earlier: String): Option[Double] =
    Option(known.getIfPresent((signature, tag))) match {
      case Some(of) =>
        val isAsked = query.isEmpty || of.learner != query
        if (isAsked && (of.without.size < Patience || query.exists(of.without))) of.least else None
      case None => ofEarlierRun(signature, earlier)
    }

  /** Counts `query` among those that did without a filter that kept the share `kept`. */
  def leaveOut(signature: String, tag: String, query: Option[Long], kept: Double): Unit = {
    val id = query.getOrElse(nameless.decrementAndGet())
    known.asMap.compute(
      (signature, tag),
      (_, last) => {
        val of = Option(last).getOrElse(Known(() => Some(kept), () => Some(kept), None))
        of.copy(without = of.without + id)
      }
    )
  }

  def clear(): Unit = known.invalidateAll()

  // What is wrong with it is said where its predicates are read.
  private def ofEarlierRun(signature: String, earlier: String): Option[Double] =
    if (earlier.isEmpty) None
    else Try(json.readTree(earlier).path("joins").path(signature)).toOption
      .filter(_.isNumber).map(_.asDouble / 1000)
}
