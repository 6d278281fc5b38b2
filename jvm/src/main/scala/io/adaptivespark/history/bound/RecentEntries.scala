package io.adaptivespark.history.bound

import scala.collection.mutable

/** The last different entries of each kind, in order of arrival. Equal parts of a kind's entries are kept once.
  *
  * Safe for any thread.
  *
  * @param limit
  *   entries of a kind
  * @param mostBytes
  *   bytes of a kind's entries. The newest one stays, however large it is.
  */
final private[adaptivespark] class RecentEntries[E, P](
    limit: Int,
    mostBytes: Long,
    size: EntrySize[E, P]
)(kind: E => Any) {
  private val entries = mutable.LinkedHashSet.empty[E]
  private val byKind = mutable.HashMap.empty[Any, Alike]

  /** @return
    *   whether it was new
    */
  def add(entry: E): Boolean = synchronized {
    val isNew = !entries.contains(entry)
    if (isNew) {
      val alike = byKind.getOrElseUpdate(kind(entry), new Alike)
      entries += alike.add(entry)
      while (alike.isTooMuch) entries -= alike.removeOldest()
    }
    isNew
  }

  def all: Vector[E] = synchronized(entries.toVector)

  /** Bytes of all entries. */
  def bytes: Long = synchronized(byKind.valuesIterator.map(_.bytes).sum)

  private final class Alike {
    private val inOrder = mutable.Queue.empty[E]
    private val shared = new SharedParts[P](size.ofPart)

    def add(entry: E): E = {
      val kept = size.withParts(entry, size.parts(entry).map(shared.hold))
      inOrder.enqueue(kept)
      kept
    }

    def removeOldest(): E = {
      val oldest = inOrder.dequeue()
      size.parts(oldest).foreach(shared.release)
      oldest
    }

    def isTooMuch: Boolean = inOrder.size > limit || (inOrder.size > 1 && bytes > mostBytes)

    // Counted anew each time, since entries grow after they came.
    def bytes: Long = shared.bytes + inOrder.iterator.map(size.own).sum
  }
}
