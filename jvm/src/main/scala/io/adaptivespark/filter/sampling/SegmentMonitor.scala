package io.adaptivespark.filter.sampling

import io.adaptivespark.filter.order.{BranchTargets, Evidence, LearnedOrder, Outcomes, PredicateShape, SegmentOrdering}

/** One task's view of one segment: what was seen of its leaves, and the order to evaluate them in. Leaves are numbered within the segment. */
abstract class SegmentMonitor(sharedAtFirst: SharedOrder, ordering: SegmentOrdering, partition: Int) {
  protected val shape: PredicateShape = ordering.shape
  protected val mayThrow: Array[Boolean] = ordering.mayThrow.toArray

  /** The latest samples, which are looked at together. */
  protected val window = new Evidence(shape.leaves)
  private val pending = new Evidence(shape.leaves)
  private val total = new Evidence(shape.leaves)
  protected val joint: Boolean = ordering.policy.usesOutcomes && shape.leaves <= Outcomes.MostLeaves
  private val drift = new DriftDetector(shape.leaves)

  // With the other tasks of the executor; of this task alone once its rows have changed on the way: others are elsewhere in the data.
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

  /** Whether the order in force is the one before anything was measured. */
  def isInitial: Boolean = initial

  /** The order in force: each node's children, as a [[PredicateShape]] numbers them. Not to be changed. */
  def nodes: Array[Array[Int]] = children

  /** The order in force, see [[BranchTargets]]. Not to be changed. */
  def first: Int = jumps.first
  def onTrue: Array[Int] = jumps.onTrue
  def onFalse: Array[Int] = jumps.onFalse

  /** Rows that have come to this segment. */
  def rows: Long

  /** Mean cost of a leaf before this window, in ns per row; NaN where it met no row. */
  protected def meanCost(leaf: Int): Double = (total.nanos(leaf) + pending.nanos(leaf)).toDouble /
    (total.monitored(leaf) + pending.monitored(leaf))

  /** Puts the times of the window into it, where they are not there yet. */
  protected def settle(): Unit = ()

  /** Hands in what is left and adds everything that was seen to `report`, whose positions start at `from`. */
  def finish(report: FilterReport, from: Int): Unit = {
    settle()
    keepWindow()
    if (pendingSamples > 0) offer(wait = true)
    val last = shared.current
    report.addSegment(from, total, samples, reorderings, samplingNanos, last.leaves(shape), last.epoch)
  }

  /** Notes that `rows` rows, sampled since `started` by the clock, are in the evidence; what that took in ns. */
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

  /** Forgets what the order was learned from, if the latest window alone asks for another. */
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

  /** What was pending counts with the order that gave `answer`. */
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

  /** Samples that are enough to see that rows have changed. */
  val Window = 64

  /** What reading the clock adds to a measured time, in ns: the smallest of a few readings. */
  lazy val clockCost: Long = (1 to 1000).map { _ =>
    val start = System.nanoTime()
    System.nanoTime() - start
  }.min
}
