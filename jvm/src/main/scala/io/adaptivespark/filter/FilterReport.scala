package io.adaptivespark.filter

import scala.collection.concurrent.TrieMap

import org.apache.spark.util.AccumulatorV2

/** What tasks saw of a filter, by number of its leaves. Reports of tasks add up. */
final class FilterReport(size: Int) extends Serializable {
  val evidence = new Evidence(size)

  /** Where each leaf stands in the order of its segment's latest epoch. */
  val finalPositions: Array[Int] = Array.range(0, size)
  private val epochs = new Array[Int](size)

  // By partition, not added up: a sort reads its input twice, and a plan may be executed again.
  private val rows = TrieMap.empty[Int, (Long, Long)]

  var samples = 0L
  var reorderings = 0L
  var samplingNanos = 0L

  def rowsIn: Long = rows.values.map(_._1).sum
  def rowsOut: Long = rows.values.map(_._2).sum
  def isEmpty: Boolean = rows.isEmpty && samples == 0

  /** Sets what a task read of its partition and passed on. */
  def setRows(partition: Int, in: Long, out: Long): Unit = rows.update(partition, (in, out))

  /** Adds what a task saw of the segment that starts at `from`; `learned` lists its leaves from first to last. */
  def addSegment(
      from: Int,
      seen: Evidence,
      samples: Long,
      reorderings: Long,
      samplingNanos: Long,
      learned: IndexedSeq[Int],
      epoch: Int
  ): Unit = {
    evidence.add(seen, from)
    this.samples += samples
    this.reorderings += reorderings
    this.samplingNanos += samplingNanos
    learned.zipWithIndex.foreach { case (leaf, place) => settle(from + leaf, from + place, epoch) }
  }

  def merge(other: FilterReport): Unit = {
    evidence.add(other.evidence)
    rows ++= other.rows
    samples += other.samples
    reorderings += other.reorderings
    samplingNanos += other.samplingNanos
    finalPositions.indices.foreach(i => settle(i, other.finalPositions(i), other.epochs(i)))
  }

  private def settle(leaf: Int, place: Int, epoch: Int): Unit =
    if (epoch >= epochs(leaf)) {
      finalPositions(leaf) = place
      epochs(leaf) = epoch
    }
}

/** Brings the tasks' reports to the driver, over the network where there is one. */
final class FilterReportAccumulator(size: Int) extends AccumulatorV2[FilterReport, FilterReport] {
  private var report = new FilterReport(size)

  override def isZero: Boolean = report.isEmpty
  override def add(other: FilterReport): Unit = report.merge(other)
  override def value: FilterReport = report
  override def reset(): Unit = report = new FilterReport(size)
  override def copy(): FilterReportAccumulator = {
    val copied = new FilterReportAccumulator(size)
    copied.add(report)
    copied
  }
  override def merge(other: AccumulatorV2[FilterReport, FilterReport]): Unit = report.merge(other.value)
}
