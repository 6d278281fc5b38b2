package io.adaptivespark.history

import scala.collection.mutable

/** The last `limit` different entries of each kind, in order of arrival. Safe for any thread. */
final private[adaptivespark] class RecentEntries[E](limit: Int)(kind: E => Any) {
  private val entries = mutable.LinkedHashSet.empty[E]
  private val byKind = mutable.HashMap.empty[Any, mutable.Queue[E]]

  /** @return
    *   whether it was new
    */
  def add(entry: E): Boolean = synchronized {
    val isNew = entries.add(entry)
    if (isNew) {
      val alike = byKind.getOrElseUpdate(kind(entry), mutable.Queue.empty).enqueue(entry)
      if (alike.size > limit) entries -= alike.dequeue()
    }
    isNew
  }

  def all: Vector[E] = synchronized(entries.toVector)
}
