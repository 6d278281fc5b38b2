package io.adaptivespark.filter

import java.util.SplittableRandom

/** One task's view of one segment: what was seen of its conjuncts, and the order to evaluate them in. Positions are those in the segment. */
abstract class SegmentMonitor(shared: SharedOrder, mayThrow: Array[Boolean]) {
  protected val pending = new Evidence(mayThrow.length)
  protected val total = new Evidence(mayThrow.length)
  private var pendingSamples = 0L
  private var samples = 0L
  private var reorderings = 0L
  private var samplingNanos = 0L
  private var learned: LearnedOrder = _
  private var permutation: Array[Int] = _
  private var written = true
  private var toCollect = 0L

  adopt()

  def isWritten: Boolean = written

  /** Positions in the order of evaluation; not to be changed. */
  def order: Array[Int] = permutation

  /** Rows that have come to this segment. */
  def rows: Long

  /** Hands in what is left and adds everything that was seen to `report`, whose positions start at `from`. */
  def finish(report: FilterReport, from: Int): Unit = {
    if (pendingSamples > 0) offer(wait = true)
    report.addSegment(from, total, samples, reorderings, samplingNanos, shared.current)
  }

  /** Notes that `rows` rows, sampled since `started` by the clock, are in the evidence. */
  protected def sampled(rows: Int, started: Long): Unit = {
    samples += rows
    pendingSamples += rows
    if (pendingSamples >= toCollect) offer(wait = false)
    if (shared.current ne learned) adopt()
    samplingNanos += System.nanoTime() - started
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

  private def adopt(): Unit = {
    learned = shared.current
    permutation = learned.order.toArray
    written = learned.isWritten
    toCollect = math.max(toCollect, shared.samplesToCollect)
  }
}

private object SegmentMonitor {

  /** What reading the clock adds to a measured time, in ns: the smallest of a few readings. */
  lazy val clockCost: Long = (1 to 1000).map { _ =>
    val start = System.nanoTime()
    System.nanoTime() - start
  }.min

  /** A distance between samples: drawn anew each time, `mean` on average, since a fixed one would see only one phase of periodic data. */
  def distance(random: SplittableRandom, mean: Long): Long = random.nextLong(1L, 2L * math.max(mean, 1L))
}

/** Samples single rows. The generated code calls it, so the methods for every row are small and final.
  *
  * @param seed
  *   of the distances between samples; the same seed samples the same rows
  */
final class RowMonitor(shared: SharedOrder, mayThrow: Array[Boolean], collectRate: Int, seed: Long)
    extends SegmentMonitor(shared, mayThrow) {
  private val clockCost = SegmentMonitor.clockCost
  private val random = new SplittableRandom(seed)
  private var rowsBefore = 0L
  private var interval = nextInterval()
  private var countdown = interval

  // Of the row being sampled: the first position in written order that failed, and the clock.
  private var firstFailed = Int.MaxValue
  private var started = 0L
  private var clock = 0L

  /** Counts a row; whether it is one to sample. */
  def tick(): Boolean = {
    countdown -= 1
    countdown == 0
  }

  override def rows: Long = rowsBefore + (interval - countdown)

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

  def endSample(): Unit = {
    rowsBefore += interval
    interval = nextInterval()
    countdown = interval
    sampled(1, started)
  }

  /** A garbage collection or a lost core within a row is no cost of the conjunct: what is far above its mean counts as that bound. */
  private def plausible(position: Int, nanos: Long): Long = {
    val readings = total.monitored(position) + pending.monitored(position)
    if (readings <= RowMonitor.TrustedReadings) nanos
    else math.min(
      nanos,
      RowMonitor.Outlier * (total.nanos(position) + pending.nanos(position)) / (readings - 1)
    )
  }

  private def nextInterval(): Int =
    math.min(SegmentMonitor.distance(random, collectRate.toLong), Int.MaxValue.toLong).toInt
}

private object RowMonitor {
  private val TrustedReadings = 8
  private val Outlier = 16
}

/** Samples slices: some consecutive rows of a selection, which each conjunct evaluates in a loop of its own, so that one reading of the clock serves them
  * all.
  */
final class SliceMonitor(shared: SharedOrder, mayThrow: Array[Boolean], collectRate: Int, seed: Long)
    extends SegmentMonitor(shared, mayThrow) {
  private val clockCost = SegmentMonitor.clockCost
  private val random = new SplittableRandom(seed)
  private var seen = 0L
  private var nextSlice = 0L
  private var slice = new Array[Int](SliceMonitor.Rows)
  private var kept = new Array[Int](SliceMonitor.Rows)
  private var alive = new Array[Int](SliceMonitor.Rows)

  override def rows: Long = seen

  /** Counts a batch's selection; where a slice is due, evaluates one of it. */
  def see(loops: ConjunctLoops, from: Int, selection: Array[Int], count: Int): Unit = {
    seen += count
    if (seen > nextSlice) {
      val started = System.nanoTime()
      val size = math.min(count, math.max(SliceMonitor.Rows, count / collectRate))
      if (size > slice.length) {
        slice = new Array[Int](size)
        kept = new Array[Int](size)
        alive = new Array[Int](size)
      }
      System.arraycopy(selection, random.nextInt(count - size + 1), slice, 0, size)
      nextSlice = seen + SegmentMonitor.distance(random, size.toLong * collectRate)
      evaluate(loops, from, size)
      sampled(size, started)
    }
  }

  /** In written order, so that a conjunct that may throw sees only the rows that all before it have passed. */
  private def evaluate(loops: ConjunctLoops, from: Int, size: Int): Unit = {
    System.arraycopy(slice, 0, alive, 0, size)
    var left = size
    var position = 0
    while (position < mayThrow.length) {
      val guarded = mayThrow(position)
      val rows = if (guarded) left else size
      val before = System.nanoTime()
      val passed = loops.keep(from + position, if (guarded) alive else slice, rows, kept)
      pending.nanos(position) += math.max(1L, System.nanoTime() - before - clockCost)
      pending.monitored(position) += rows
      pending.passed(position) += passed
      left = SliceMonitor.retain(alive, left, kept, passed)
      position += 1
    }
  }
}

private object SliceMonitor {

  /** Rows of a slice: enough that the clock's own cost hardly counts. */
  private val Rows = 128

  /** Keeps of the first `count` of `rows` those that are among the first `size` of `others`; both ascend. */
  private def retain(rows: Array[Int], count: Int, others: Array[Int], size: Int): Int = {
    var (kept, i, j) = (0, 0, 0)
    while (i < count && j < size) {
      if (rows(i) == others(j)) {
        rows(kept) = rows(i)
        kept += 1
      }
      if (rows(i) < others(j)) i += 1 else j += 1
    }
    kept
  }
}
