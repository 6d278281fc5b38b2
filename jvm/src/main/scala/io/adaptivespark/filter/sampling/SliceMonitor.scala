package io.adaptivespark.filter.sampling

import io.adaptivespark.filter.order.SegmentOrdering

/** Samples slices: consecutive rows of a selection. Each leaf evaluates a slice in one loop, so one reading
  * of the clock serves all of its rows.
  */
final class SliceMonitor(
    shared: SharedOrder,
    ordering: SegmentOrdering,
    partition: Int,
    distance: SamplingDistance
) extends SegmentMonitor(shared, ordering, partition) {
  private val clockCost = SegmentMonitor.clockCost
  private var seen = 0L
  private var nextSlice = distance.first(SliceMonitor.Rows - 1L)
  private var cold = true

  // Rows of the slice, rows that a leaf kept, and rows that a leaf that may throw may evaluate.
  private var slice = new Array[Int](SliceMonitor.Rows)
  private var kept = new Array[Int](SliceMonitor.Rows)
  private var safe = new Array[Int](SliceMonitor.Rows)

  // True if a leaf has to know which rows those before it passed.
  private val guards = mayThrow.contains(true)

  // By leaf, a bit for each row of the slice.
  private val evaluated, passed = Array.fill(ordering.shape.leaves)(new SliceBits)

  override def rows: Long = seen

  /** Counts the rows of a batch's selection, and evaluates a slice of them if one is due. */
  def see(loops: ConjunctLoops, from: Int, selection: Array[Int], count: Int): Unit = {
    seen += count
    if (seen > nextSlice) {
      val started = System.nanoTime()
      val size = distance.size(count, SliceMonitor.Rows)
      if (size > slice.length) {
        slice = new Array[Int](size)
        kept = new Array[Int](size)
        safe = new Array[Int](size)
      }
      System.arraycopy(selection, distance.start(count, size), slice, 0, size)
      evaluate(loops, from, size)
      if (joint) countOutcomes(size)
      distance.took(sampled(size, started))
      nextSlice = seen + distance.next(size.toLong, seen)
    }
  }

  private def evaluate(loops: ConjunctLoops, from: Int, size: Int): Unit = {
    var leaf = 0
    while (leaf < mayThrow.length) {
      val guarded = mayThrow(leaf)
      val rows = if (guarded) safeRows(leaf, size) else size
      val of = if (guarded) safe else slice
      val passing = keep(loops, from + leaf, of, rows)
      if (cold || took > SliceMonitor.Outlier * meanCost(leaf) * rows) keepAgain(loops, from + leaf, of, rows)
      window.nanos(leaf) += took
      window.monitored(leaf) += rows
      window.passed(leaf) += passing
      if (joint) evaluated(leaf).set(slice, size, of, rows)
      if (joint || guards) passed(leaf).set(slice, size, kept, passing)
      leaf += 1
    }
    cold = false
  }

  /** Time of the latest call of `keep`, in ns. */
  private var took = 0L

  private def keep(loops: ConjunctLoops, conjunct: Int, of: Array[Int], rows: Int): Int = {
    val before = System.nanoTime()
    val passing = loops.keep(conjunct, of, rows, kept)
    took = math.max(1L, System.nanoTime() - before - clockCost)
    passing
  }

  /** Measures again; the shorter time counts. A task's first evaluation of a leaf loads, compiles and
    * caches, and a garbage collection or a lost core may fall into a slice: none of these is a cost of its
    * rows.
    */
  private def keepAgain(loops: ConjunctLoops, conjunct: Int, of: Array[Int], rows: Int): Unit = {
    val first = took
    keep(loops, conjunct, of, rows)
    took = math.min(first, took)
  }

  /** Puts into `safe` the rows that passed every child of the root written before `leaf`. Returns their
    * number.
    */
  private def safeRows(leaf: Int, size: Int): Int = {
    val before = shape.nodes.head.children.takeWhile(_ != leaf)
    var (count, i) = (0, 0)
    while (i < size) {
      if (before.forall(shape.truth(_, passed(_)(i)))) {
        safe(count) = slice(i)
        count += 1
      }
      i += 1
    }
    count
  }

  private def countOutcomes(size: Int): Unit = {
    var i = 0
    while (i < size) {
      window.outcomes.count(bits(evaluated, i), bits(passed, i))
      i += 1
    }
  }

  private def bits(of: Array[SliceBits], row: Int): Long = {
    var (set, leaf) = (0L, 0)
    while (leaf < of.length) {
      if (of(leaf)(row)) set |= 1L << leaf
      leaf += 1
    }
    set
  }
}

private object SliceMonitor {

  /** Rows of a slice: so many that reading the clock hardly counts. */
  private val Rows = 128

  /** Multiple of a leaf's mean cost by which slices of its rows seldom differ. */
  private val Outlier = 4.0
}

/** A set of rows of a slice. */
private final class SliceBits {
  private var members = new Array[Boolean](0)

  def apply(i: Int): Boolean = members(i)

  /** Keeps those of the first `size` of `slice` that are among the first `count` of `rows`. Both ascend. */
  def set(slice: Array[Int], size: Int, rows: Array[Int], count: Int): Unit = {
    if (members.length < size) members = new Array[Boolean](size)
    var (i, next) = (0, 0)
    while (i < size) {
      members(i) = next < count && rows(next) == slice(i)
      if (members(i)) next += 1
      i += 1
    }
  }
}
