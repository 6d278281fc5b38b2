package io.adaptivespark.filter.sampling

import io.adaptivespark.filter.order.Evidence

/** What tasks saw of a filter, by number of its leaves. Reports of tasks add up.
  *
  * The driver remembers it longer than the query, so its size does not grow with the tasks. While they add to it, other threads read a `copy`.
  */
final class FilterReport(size: Int) extends Serializable {
  val evidence = new Evidence(size)

  /** Where each leaf stands in the order of its segment's latest epoch. */
  val finalPositions: Array[Int] = Array.range(0, size)
  private val epochs = new Array[Int](size)

  var rowsIn = 0L
  var rowsOut = 0L
  var samples = 0L
  var reorderings = 0L
  var samplingNanos = 0L

  /** Whether no row came to the filter. */
  def isEmpty: Boolean = synchronized(rowsIn == 0 && samples == 0)

  def addRows(in: Long, out: Long): Unit = synchronized {
    rowsIn += in
    rowsOut += out
  }

  /** Adds what a task saw of the segment that starts at `from`; `learned` lists its leaves from first to last. */
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

  /** Adds what another saw, rows apart: tasks may read the same ones. `other` is no other thread's. */
  def merge(other: FilterReport): Unit = synchronized {
    evidence.add(other.evidence)
    evidence.outcomes.bound()
    samples += other.samples
    reorderings += other.reorderings
    samplingNanos += other.samplingNanos
    finalPositions.indices.foreach(i => settle(i, other.finalPositions(i), other.epochs(i)))
  }

  def copy(): FilterReport = synchronized {
    val copied = new FilterReport(size)
    copied.merge(this)
    copied.addRows(rowsIn, rowsOut)
    copied
  }

  def clear(): Unit = synchronized {
    evidence.clear()
    finalPositions.indices.foreach(i => finalPositions(i) = i)
    java.util.Arrays.fill(epochs, 0)
    rowsIn = 0
    rowsOut = 0
    samples = 0
    reorderings = 0
    samplingNanos = 0
  }

  private def settle(leaf: Int, place: Int, epoch: Int): Unit =
    if (epoch >= epochs(leaf)) {
      finalPositions(leaf) = place
      epochs(leaf) = epoch
    }
}
