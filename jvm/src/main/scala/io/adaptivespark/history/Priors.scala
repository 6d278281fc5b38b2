package io.adaptivespark.history

import com.google.common.cache.{Cache, CacheBuilder}

/** What earlier runs learned of the queries to come, by their labels: told before they run, held by the driver alone.
  *
  * A run has its own, as its id is among the labels. Of ended runs the oldest give way.
  */
final private[adaptivespark] class Priors {
  private val known: Cache[(String, String, String), Prior] =
    CacheBuilder.newBuilder.maximumSize(Priors.Most).build[(String, String, String), Prior]()

  def remember(labels: QueryLabels, prior: Prior): Unit = known.put(key(labels), prior)

  def of(labels: QueryLabels): Prior = Option(known.getIfPresent(key(labels))).getOrElse(Prior.none)

  def clear(): Unit = known.invalidateAll()

  private def key(labels: QueryLabels) = (labels.user, labels.runId, labels.queryTag)
}

private[adaptivespark] object Priors {

  /** Queries that something is known of at a time. */
  val Most = 1000L

  /** Characters of the JSON of one: with [[Most]], at most 64 million in all. The dbt adapter sends half as many. */
  val Longest = 65536
}
