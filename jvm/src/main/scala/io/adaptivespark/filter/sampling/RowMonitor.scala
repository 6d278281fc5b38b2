package io.adaptivespark.filter.sampling

import io.adaptivespark.filter.order.{BranchTargets, SegmentOrdering}

/** Samples single rows. Generated code calls it for every row, so its methods are small and final. */
final class RowMonitor(
    shared: SharedOrder,
    ordering: SegmentOrdering,
    partition: Int,
    distance: SamplingDistance
) extends SegmentMonitor(shared, ordering, partition) {
  private val clockCost = SegmentMonitor.clockCost

  // In ns. The clock cannot tell shorter times apart: cheaper leaves are ordered by their selectivity
  // alone.
  private val leastCost = math.max(1L, clockCost / 2)
  private var rowsBefore = 0L
  private var interval = 0

  // Rows until the next one that leaves the inlined code. Without a learned order that is the next sample.
  // With one it is every row, and `leftAside` counts to the next sample.
  private var left = 0
  private var leftAside = 0

  // The row being sampled: leaves that evaluated it, leaves it passed, and the clock in ns.
  private val evaluated = new Array[Boolean](shape.leaves)
  private val passed = new Array[Boolean](shape.leaves)
  private val times = new RowTimes(shape.leaves, SegmentMonitor.Window)
  private var started = 0L
  private var clock = 0L

  beginInterval()

  /** Rows until the next one that leaves the inlined code; 1 or less for the very next. Generated code
    * counts down.
    */
  def countdown(): Int = left

  def countDownTo(rows: Int): Unit = left = rows

  /** True if a row that has left the inlined code is a sample. */
  def isSample(): Boolean =
    isInitial || {
      leftAside -= 1
      leftAside == 0
    }

  /** Counts a row outside of generated code. True if it is a sample. */
  def isNextSample(): Boolean = {
    left -= 1
    left <= 0 && isSample()
  }

  override def rows: Long = rowsBefore + interval - (if (isInitial) left else leftAside)

  /** Begins a sample, a row that every leaf evaluates. Returns the first leaf. */
  def beginSample(): Int = {
    java.util.Arrays.fill(evaluated, false)
    java.util.Arrays.fill(passed, false)
    started = System.nanoTime()
    clock = started
    0 // nothing is written before the first leaf that it would have to wait for
  }

  /** Notes the outcome of a leaf. Returns the next leaf, or `Pass` or `Fail` as in [[BranchTargets]]. */
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

  /** True unless the leaf may throw and a child of the root written before it is not true. */
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
