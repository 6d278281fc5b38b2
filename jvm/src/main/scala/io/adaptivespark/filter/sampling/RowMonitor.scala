package io.adaptivespark.filter.sampling

import io.adaptivespark.filter.order.{BranchTargets, SegmentOrdering}

/** Samples single rows. The generated code calls it, so the methods for every row are small and final. */
final class RowMonitor(
    shared: SharedOrder,
    ordering: SegmentOrdering,
    partition: Int,
    distance: SamplingDistance
) extends SegmentMonitor(shared, ordering, partition) {
  private val clockCost = SegmentMonitor.clockCost

  // The clock cannot tell shorter times apart; leaves that take less are ordered by what they drop alone.
  private val leastCost = math.max(1L, clockCost / 2)
  private var rowsBefore = 0L
  private var interval = 0

  // Rows until the next that leaves the straight code: the next to sample, or every row while another order is in force, which counts by itself.
  private var left = 0
  private var leftAside = 0

  // Of the row being sampled: which leaves evaluated it and which it passed, and the clock.
  private val evaluated = new Array[Boolean](shape.leaves)
  private val passed = new Array[Boolean](shape.leaves)
  private val times = new RowTimes(shape.leaves, SegmentMonitor.Window)
  private var started = 0L
  private var clock = 0L

  beginInterval()

  /** Rows until the next that leaves the straight code, as a sample or for another order: where 1 or less, the next one. The code counts by itself. */
  def countdown(): Int = left

  def countDownTo(rows: Int): Unit = left = rows

  /** Of a row that has left the straight code: whether to sample it. */
  def isSample(): Boolean =
    isInitial || {
      leftAside -= 1
      leftAside == 0
    }

  /** Counts a row outside generated code; whether to sample it. */
  def isNextSample(): Boolean = {
    left -= 1
    left <= 0 && isSample()
  }

  override def rows: Long = rowsBefore + interval - (if (isInitial) left else leftAside)

  /** Begins with a row that every leaf is to evaluate; the first leaf. */
  def beginSample(): Int = {
    java.util.Arrays.fill(evaluated, false)
    java.util.Arrays.fill(passed, false)
    started = System.nanoTime()
    clock = started
    0 // nothing is written before the first leaf that it would have to wait for
  }

  /** Notes the outcome of a leaf; the next to evaluate the row, or whether the row passes, as [[BranchTargets]] says it. */
  def record(leaf: Int, truth: Boolean): Int = {
    val now = System.nanoTime()
    evaluated(leaf) = true
    passed(leaf) = truth
    window.monitored(leaf) += 1
    times.add(leaf, math.max(leastCost, now - clock - clockCost))
    if (truth) window.passed(leaf) += 1
    var next = leaf + 1
    while (next < passed.length && !mayEvaluate(next)) next += 1
    if (next < passed.length) {
      clock = System.nanoTime()
      next
    } else endSample()
  }

  /** One that may throw needs all children of the root written before it to be true. */
  private def mayEvaluate(leaf: Int): Boolean =
    !mayThrow(leaf) || shape.nodes.head.children.takeWhile(_ != leaf).forall(shape.truth(_, passed(_)))

  private def endSample(): Int = {
    if (joint) window.outcomes.count(bits(evaluated), bits(passed))
    rowsBefore += interval
    distance.took(sampled(1, started))
    beginInterval()
    if (shape.truth(~0, passed(_))) BranchTargets.Pass else BranchTargets.Fail
  }

  private def bits(of: Array[Boolean]): Long =
    of.indices.foldLeft(0L)((set, i) => if (of(i)) set | 1L << i else set)

  override protected def settle(): Unit = times.settle(window, meanCost)

  private def beginInterval(): Unit = {
    interval = math.min(distance.next(size = 1, rowsBefore), Int.MaxValue.toLong).toInt
    left = if (isInitial) interval else 0
    leftAside = interval
  }
}
