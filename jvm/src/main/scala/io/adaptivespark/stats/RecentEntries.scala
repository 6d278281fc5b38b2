package io.adaptivespark.stats

import scala.collection.mutable

/** The last `limit` different entries, in the order in which they came. Safe for any thread. */
final private[stats] class RecentEntries[E](limit: Int) {
  private val entries = mutable.LinkedHashSet.empty[E]

  /** @return
    *   whether it was new
    */
  def add(entry: E): Boolean = synchronized {
    val isNew = entries.add(entry)
    if (entries.size > limit) entries -= entries.head
    isNew
  }

  def all: Vector[E] = synchronized(entries.toVector)
}
