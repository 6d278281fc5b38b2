package io.adaptivespark.join.keys

/** All values from `low` to `high`, both included. */
final private[adaptivespark] case class KeyRange[K](low: K, high: K)
