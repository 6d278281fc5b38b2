package io.adaptivespark.filter.order

/** How evidence becomes an order. Pure. */
trait OrderPolicy extends Serializable {

  /** The order after an epoch.
    *
    * @param mayThrow
    *   by leaf: true if it may throw. Such a leaf is a child of the root and stays after every child
    *   written before it.
    */
  def next(
      previous: LearnedOrder,
      evidence: Evidence,
      shape: PredicateShape,
      mayThrow: IndexedSeq[Boolean]
  ): LearnedOrder

  /** Share of an epoch's evidence that the next one keeps, 0 to 1. */
  def carriedOver: Double

  /** True if the policy reads joint outcomes. They are collected only then. */
  def usesOutcomes: Boolean
}

object OrderPolicy {
  def of(name: String, momentum: Double, margin: Double): OrderPolicy = name match {
    case "rank" => RankPolicy(momentum, margin)
    case "conditional" => ConditionalPolicy(momentum, margin)
  }

  /** Selectivity of a predicate. Half a row is added on either side, so that a small sample never says that
    * all rows pass, or none. The dbt adapter lists predicates by the same formula.
    */
  def share(passed: Double, monitored: Double): Double = (passed + 0.5) / (monitored + 1.0)

  /** By leaf, mean time in ns a row; NaN if it was never timed. */
  def costs(evidence: Evidence): IndexedSeq[Double] = (0 until evidence.size).map(i =>
    if (evidence.monitored(i) == 0) Double.NaN else evidence.nanos(i).toDouble / evidence.monitored(i)
  )

  /** By position of the root: true if the child is a leaf that may throw. */
  def rootMayThrow(shape: PredicateShape, mayThrow: IndexedSeq[Boolean]): IndexedSeq[Boolean] =
    shape.nodes.head.children.map(child => child >= 0 && mayThrow(child))
}
