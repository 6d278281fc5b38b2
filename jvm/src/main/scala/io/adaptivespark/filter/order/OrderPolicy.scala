package io.adaptivespark.filter.order

/** Samples in, order out. Pure. */
trait OrderPolicy extends Serializable {

  /** @param mayThrow
    *   by leaf: such a leaf is a child of the root and stays after all children before it
    */
  def next(
      previous: LearnedOrder,
      evidence: Evidence,
      shape: PredicateShape,
      mayThrow: IndexedSeq[Boolean]
  ): LearnedOrder

  /** The share of its evidence that an epoch leaves to the next. */
  def carriedOver: Double

  /** Whether it looks at the joint outcomes of the evidence; what no policy looks at is not collected. */
  def usesOutcomes: Boolean
}

object OrderPolicy {
  def of(name: String, momentum: Double, margin: Double): OrderPolicy = name match {
    case "rank" => RankPolicy(momentum, margin)
    case "conditional" => ConditionalPolicy(momentum, margin)
  }

  /** Share of rows that passed, with half a row added on either side: a small sample never says "all" or "none". */
  def share(passed: Double, monitored: Double): Double = (passed + 0.5) / (monitored + 1.0)

  /** Mean time of a leaf in ns a row; NaN where it was never timed. */
  def costs(evidence: Evidence): IndexedSeq[Double] = (0 until evidence.size).map(i =>
    if (evidence.monitored(i) == 0) Double.NaN else evidence.nanos(i).toDouble / evidence.monitored(i)
  )

  /** Which children of the root are leaves that may throw. */
  def rootMayThrow(shape: PredicateShape, mayThrow: IndexedSeq[Boolean]): IndexedSeq[Boolean] =
    shape.nodes.head.children.map(child => child >= 0 && mayThrow(child))
}
