package io.adaptivespark.filter

import java.util.SplittableRandom

/** One task's view of one segment: which rows to sample, what was seen of them, the order to evaluate in.
  *
  * The generated code calls it, so the methods for every row are small and final. Positions are those in the segment.
  *
  * The distance between samples is drawn anew each time, `collectRate` rows on average: a fixed one would see only one phase of periodic data.
  *
  * @param seed
  *   of the distances; the same seed samples the same rows
  */
final class SegmentMonitor(shared: SharedOrder, mayThrow: Array[Boolean], collectRate: Int, seed: Long) {
  private val clockCost = SegmentMonitor.clockCost
  private val pending = new Evidence(mayThrow.length)
  private val total = new Evidence(mayThrow.length)
  private var pendingSamples = 0L
  private var samples = 0L
  private var reorderings = 0L
  private var samplingNanos = 0L

  private val random = new SplittableRandom(seed)
  private var rowsBefore = 0L
  private var interval = nextInterval()
  private var countdown = interval
  private var learned: LearnedOrder = _
  private var permutation: Array[Int] = _
  private var written = true
  private var toCollect = 0L

  // Of the row being sampled: the first position in written order that failed, and the clock.
  private var firstFailed = Int.MaxValue
  private var started = 0L
  private var clock = 0L

  adopt()

  /** Counts a row; whether it is one to sample. */
  def tick(): Boolean = {
    countdown -= 1
    countdown == 0
  }

  def isWritten: Boolean = written

  /** Positions in the order of evaluation; not to be changed. */
  def order: Array[Int] = permutation

  def beginSample(): Unit = {
    firstFailed = Int.MaxValue
    started = System.nanoTime()
    clock = started
  }

  /** Whether the sampled row may be evaluated by a conjunct: one that may throw needs all written before it to have passed. */
  def mayEvaluate(position: Int): Boolean = !mayThrow(position) || firstFailed > position

  def record(position: Int, passed: Boolean): Unit = {
    val now = System.nanoTime()
    pending.monitored(position) += 1
    pending.nanos(position) += plausible(position, math.max(1L, now - clock - clockCost))
    if (passed) pending.passed(position) += 1
    else if (position < firstFailed) firstFailed = position
    clock = System.nanoTime()
  }

  /** A garbage collection or a lost core within a row is no cost of the conjunct: what is far above its mean counts as that bound. */
  private def plausible(position: Int, nanos: Long): Long = {
    val readings = total.monitored(position) + pending.monitored(position)
    if (readings <= SegmentMonitor.TrustedReadings) nanos
    else math.min(
      nanos,
      SegmentMonitor.Outlier * (total.nanos(position) + pending.nanos(position)) / (readings - 1)
    )
  }

  def endSample(): Unit = {
    rowsBefore += interval
    interval = nextInterval()
    countdown = interval
    samples += 1
    pendingSamples += 1
    if (pendingSamples >= toCollect) offer(wait = false)
    if (shared.current ne learned) adopt()
    samplingNanos += System.nanoTime() - started
  }

  /** Rows that have come to this segment. */
  def rows: Long = rowsBefore + (interval - countdown)

  /** Hands in what is left and adds everything that was seen to `report`, whose positions start at `from`. */
  def finish(report: FilterReport, from: Int): Unit = {
    if (pendingSamples > 0) offer(wait = true)
    report.addSegment(from, total, samples, reorderings, samplingNanos, shared.current)
  }

  private def offer(wait: Boolean): Unit = shared.offer(pending, wait) match {
    case SharedOrder.Refused => toCollect = pendingSamples + shared.samplesToCollect
    case answer =>
      total.add(pending)
      pending.clear()
      pendingSamples = 0
      toCollect = shared.samplesToCollect
      if (answer == SharedOrder.Reordered) reorderings += 1
  }

  private def nextInterval(): Int = math.min(random.nextLong(1L, 2L * collectRate), Int.MaxValue.toLong).toInt

  private def adopt(): Unit = {
    learned = shared.current
    permutation = learned.order.toArray
    written = learned.isWritten
    toCollect = math.max(toCollect, shared.samplesToCollect)
  }
}

private object SegmentMonitor {
  private val TrustedReadings = 8
  private val Outlier = 16

  /** What reading the clock adds to a measured time, in ns: the smallest of a few readings. */
  lazy val clockCost: Long = (1 to 1000).map { _ =>
    val start = System.nanoTime()
    System.nanoTime() - start
  }.min
}
