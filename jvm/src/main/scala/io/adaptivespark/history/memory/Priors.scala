package io.adaptivespark.history.memory

import com.google.common.cache.{Cache, CacheBuilder}

import io.adaptivespark.history.bound.Footprint
import io.adaptivespark.history.label.QueryLabels

/** What earlier runs learned of the queries to come, by their labels: told before they run, held by the driver alone.
  *
  * A run has its own, as its id is among the labels. Of ended runs the oldest give way.
  */
final private[adaptivespark] class Priors {
  private val known: Cache[(String, String, String), Prior] =
    // one segment: more would divide the bytes among them
    CacheBuilder.newBuilder.concurrencyLevel(1).maximumWeight(Priors.MostBytes)
      .weigher((of: (String, String, String), prior: Prior) => weight(of, prior))
      .build[(String, String, String), Prior]()

  def remember(labels: QueryLabels, prior: Prior): Unit = known.put(key(labels), prior)

  def of(labels: QueryLabels): Prior = Option(known.getIfPresent(key(labels))).getOrElse(Prior.none)

  def clear(): Unit = known.invalidateAll()

  private def key(labels: QueryLabels) = (labels.user, labels.runId, labels.queryTag)

  // What is larger than all that there may be would not stay, though it is the newest.
  private def weight(of: (String, String, String), prior: Prior): Int = {
    val bytes = Footprint.OfObject + Footprint.of(of._1) + Footprint.of(of._2) + Footprint.of(of._3) +
      prior.bytes
    bytes.max(Priors.MostBytes / Priors.Most).min(Priors.MostBytes).toInt
  }
}

private[adaptivespark] object Priors {

  /** Queries that something is known of at a time. */
  val Most = 1000L

  /** Bytes of all of them.
    *
    * Each is sent before its query runs, so that those of the queries that run at a time are enough.
    */
  val MostBytes: Long = 16L << 20

  /** Characters of the JSON of one. The dbt adapter sends half as many. */
  val Longest = 65536
}
