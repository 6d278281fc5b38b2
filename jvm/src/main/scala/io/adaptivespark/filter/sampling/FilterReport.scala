package io.adaptivespark.filter.sampling

import io.adaptivespark.filter.order.Evidence

/** Evidence and counts that tasks gathered on a filter. Reports of tasks add up.
  *
  * The driver keeps a report longer than the query, so its size does not grow with the tasks. Other threads
  * read a `copy` while tasks add to it.
  *
  * @param size
  *   number of conjuncts
  */
final class FilterReport(size: Int) extends Serializable {
  val evidence = new Evidence(size)

  /** By conjunct, its place in its segment's latest order, counted through the whole filter. */
  val finalPlaces: Array[Int] = Array.range(0, size)
  private val epochs = new Array[Int](size)

  var rowsIn = 0L
  var rowsOut = 0L
  var samples = 0L
  var reorderings = 0L
  var samplingNanos = 0L

  /** Bytes on the heap, as of now. */
  def bytes: Long = synchronized(evidence.bytes + FilterReport.OfConjunct * size)

  /** True if no row came to the filter. */
  def isEmpty: Boolean = synchronized(rowsIn == 0 && samples == 0)

  def addRows(in: Long, out: Long): Unit = synchronized {
    rowsIn += in
    rowsOut += out
  }

  /** Adds what a task saw of a segment.
    *
    * @param from
    *   the segment's first conjunct
    * @param learned
    *   its leaves in the order of evaluation
    */
  def addSegment(
      from: Int,
      seen: Evidence,
      samples: Long,
      reorderings: Long,
      samplingNanos: Long,
      learned: IndexedSeq[Int],
      epoch: Int
  ): Unit = synchronized {
    evidence.add(seen, from)
    evidence.outcomes.bound()
    this.samples += samples
    this.reorderings += reorderings
    this.samplingNanos += samplingNanos
    learned.zipWithIndex.foreach { case (leaf, place) => settle(from + leaf, from + place, epoch) }
  }

  /** Adds another report, except its rows in and out: tasks may read the same rows.
    *
    * @param other
    *   is no other thread's
    */
  def merge(other: FilterReport): Unit = synchronized {
    evidence.add(other.evidence)
    evidence.outcomes.bound()
    samples += other.samples
    reorderings += other.reorderings
    samplingNanos += other.samplingNanos
    finalPlaces.indices.foreach(i => settle(i, other.finalPlaces(i), other.epochs(i)))
  }

  def copy(): FilterReport = synchronized {
    val copied = new FilterReport(size)
    copied.merge(this)
    copied.addRows(rowsIn, rowsOut)
    copied
  }

  def clear(): Unit = synchronized {
    evidence.clear()
    finalPlaces.indices.foreach(i => finalPlaces(i) = i)
    java.util.Arrays.fill(epochs, 0)
    rowsIn = 0
    rowsOut = 0
    samples = 0
    reorderings = 0
    samplingNanos = 0
  }

  private def settle(leaf: Int, place: Int, epoch: Int): Unit =
    if (epoch >= epochs(leaf)) {
      finalPlaces(leaf) = place
      epochs(leaf) = epoch
    }
}

private object FilterReport {
  // its place and epoch
  private val OfConjunct = 8L
}
