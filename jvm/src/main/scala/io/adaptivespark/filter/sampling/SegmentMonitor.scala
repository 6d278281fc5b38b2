package io.adaptivespark.filter.sampling

import io.adaptivespark.filter.order.{
  BranchTargets,
  Evidence,
  LearnedOrder,
  Outcomes,
  PredicateShape,
  SegmentOrdering
}

/** One task's samples of one segment, and the order in which the task evaluates it. */
abstract class SegmentMonitor(sharedAtFirst: SharedOrder, ordering: SegmentOrdering, partition: Int) {
  protected val shape: PredicateShape = ordering.shape
  protected val mayThrow: Array[Boolean] = ordering.mayThrow.toArray

  /** The latest samples, in which drift is looked for. */
  protected val window = new Evidence(shape.leaves)
  private val pending = new Evidence(shape.leaves)
  private val total = new Evidence(shape.leaves)
  protected val joint: Boolean = ordering.policy.usesOutcomes && shape.leaves <= Outcomes.MostLeaves
  private val drift = new DriftDetector(shape.leaves)

  // Shared with the executor's other tasks. Of this task alone after its rows have changed: other tasks are
  // elsewhere in the data.
  private var shared = sharedAtFirst
  private var offers = shared.begin(partition)
  private var windowSamples = 0L
  private var pendingSamples = 0L
  private var samples = 0L
  private var reorderings = 0L
  private var samplingNanos = 0L
  private var learned: LearnedOrder = _
  private var initial = true
  private var children: Array[Array[Int]] = _
  private var jumps: BranchTargets = _
  private var toCollect = 0L

  adopt()

  /** True while the order is the one from before anything was measured. */
  def isInitial: Boolean = initial

  /** By node, its children in the order of evaluation. Callers must not change it. */
  def nodes: Array[Array[Int]] = children

  /** The order in force as [[BranchTargets]]. Callers must not change it. */
  def first: Int = jumps.first
  def onTrue: Array[Int] = jumps.onTrue
  def onFalse: Array[Int] = jumps.onFalse

  /** Rows that came to this segment. */
  def rows: Long

  /** Mean cost of a leaf before this window, in ns a row; NaN if it met no row. */
  protected def meanCost(leaf: Int): Double = (total.nanos(leaf) + pending.nanos(leaf)).toDouble /
    (total.monitored(leaf) + pending.monitored(leaf))

  /** Adds the times of the window that are not in it yet. */
  protected def settle(): Unit = ()

  /** Offers what is left, and adds everything to `report`, in which the segment begins at `from`. */
  def finish(report: FilterReport, from: Int): Unit = {
    settle()
    keepWindow()
    if (pendingSamples > 0) offer(wait = true)
    val last = shared.current
    report.addSegment(from, total, samples, reorderings, samplingNanos, last.leaves(shape), last.epoch)
  }

  /** Counts `rows` rows sampled since `started`, in ns of the clock. Returns the ns that they took. */
  protected def sampled(rows: Int, started: Long): Long = {
    val took = System.nanoTime() - started
    samples += rows
    windowSamples += rows
    if (windowSamples >= SegmentMonitor.Window || pendingSamples + windowSamples >= toCollect) {
      settle()
      if (!(drift.differs(window) && startAnew())) keepWindow()
      if (pendingSamples >= toCollect) offer(wait = false)
    }
    if (shared.current ne learned) adopt()
    samplingNanos += System.nanoTime() - started
    took
  }

  private def keepWindow(): Unit = {
    pending.add(window)
    pendingSamples += windowSamples
    window.clear()
    windowSamples = 0
  }

  /** Forgets what the order was learned from if the latest window alone asks for another order. */
  private def startAnew(): Boolean = {
    val own = new SharedOrder(ordering.after(learned))
    val ownOffers = own.begin(partition)
    val differs = own.offer(window, ownOffers, wait = true) == SharedOrder.Reordered
    if (differs) {
      drift.startAnew()
      shared = own
      offers = ownOffers
      keepWindow()
      taken(SharedOrder.Reordered)
    }
    differs
  }

  private def offer(wait: Boolean): Unit = shared.offer(pending, offers, wait) match {
    case SharedOrder.Refused => toCollect = pendingSamples + shared.samplesToCollect
    case answer => taken(answer)
  }

  /** Counts what was pending with the order that gave `answer`. */
  private def taken(answer: SharedOrder.Answer): Unit = {
    total.add(pending)
    pending.clear()
    pendingSamples = 0
    toCollect = shared.samplesToCollect
    if (answer == SharedOrder.Reordered) reorderings += 1
  }

  private def adopt(): Unit = {
    learned = shared.current
    initial = learned.orders == ordering.initial.orders
    children = learned.orders.zip(shape.nodes).map { case (order, node) =>
      order.map(node.children).toArray
    }.toArray
    jumps = BranchTargets.of(shape, learned)
    toCollect = math.max(toCollect, shared.samplesToCollect)
  }
}

private object SegmentMonitor {

  /** Samples in which a change of the rows can be seen. */
  val Window = 64

  /** Time that reading the clock adds to a measured time, in ns: the smallest of 1,000 readings. */
  lazy val clockCost: Long = (1 to 1000).map { _ =>
    val start = System.nanoTime()
    System.nanoTime() - start
  }.min
}
