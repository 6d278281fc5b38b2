package io.adaptivespark.filter.order

/** The paper's policy (arXiv 1905.01349, §2.1), extended to OR nodes and nested ones.
  *
  * Children of an AND are sorted by cost / (1 − selectivity), those of an OR by cost / selectivity, both
  * ascending. Cost is divided by the highest of the epoch; selectivity is the share of the monitored rows
  * that passed. A node costs what its children cost in their order, taken as independent. A rank keeps
  * `momentum` of its previous value.
  *
  * @param momentum
  *   share of the previous rank, 0 to 1
  * @param margin
  *   share of the expected cost that a new order has to save
  */
final case class RankPolicy(momentum: Double, margin: Double) extends OrderPolicy {
  override def carriedOver: Double = 0
  override def usesOutcomes: Boolean = false

  override def next(
      previous: LearnedOrder,
      evidence: Evidence,
      shape: PredicateShape,
      mayThrow: IndexedSeq[Boolean]
  ): LearnedOrder = {
    val costs = OrderPolicy.costs(evidence)
    val scale = costs.filterNot(_.isNaN).foldLeft(Double.MinPositiveValue)(math.max)
    val (ranks, orders) = (previous.ranks.toArray, previous.orders.toArray)

    def visit(child: Int): Estimate =
      if (child >= 0)
        Estimate(
          costs(child) / scale,
          OrderPolicy.share(evidence.passed(child).toDouble, evidence.monitored(child).toDouble)
        )
      else arrange(~child)

    def arrange(at: Int): Estimate = {
      val PredicateShape.Node(all, children) = shape.nodes(at)
      val slots = children.map(child => if (child >= 0) child else shape.leaves + ~child)
      val seen = children.map(visit)
      slots.zip(seen).foreach { case (slot, estimate) =>
        ranks(slot) = smooth(ranks(slot), estimate.rank(all))
      }
      val smoothed = seen.zip(slots).map { case (estimate, slot) => estimate.ranked(ranks(slot), all) }
      val best =
        if (at == 0) PrecedenceOrder.sort(
          slots.map(ranks(_)),
          seen.map(_.passing),
          OrderPolicy.rootMayThrow(shape, mayThrow)
        )
        else children.indices.sortBy(i =>
          if (ranks(slots(i)).isNaN) Double.PositiveInfinity else ranks(slots(i))
        )
      def cost(order: IndexedSeq[Int]) = Estimate.inOrder(order.map(smoothed), all)
      val pays = cost(best).cost < (1 - margin) * cost(orders(at)).cost
      if (pays) orders(at) = best
      cost(orders(at))
    }

    arrange(0)
    LearnedOrder(orders.toVector, ranks.toVector, previous.epoch + 1)
  }

  private def smooth(before: Double, now: Double): Double =
    if (now.isNaN) before else if (before.isNaN) now else (1 - momentum) * now + momentum * before
}

/** Expected cost and selectivity of a child.
  *
  * @param cost
  *   for each row, in any unit; NaN if it is not known
  * @param passing
  *   selectivity
  */
private[adaptivespark] final case class Estimate(cost: Double, passing: Double) {
  private def deciding(all: Boolean): Double = if (all) 1 - passing else passing

  /** Cost for each row that decides an AND (`all`) or an OR. The lowest is evaluated first. */
  def rank(all: Boolean): Double = cost / deciding(all)

  /** A copy with the cost that `rank` stands for; 0 if it is not ranked yet. */
  def ranked(rank: Double, all: Boolean): Estimate = copy(cost = if (rank.isNaN) 0 else rank * deciding(all))
}

private[adaptivespark] object Estimate {

  /** Estimate of independent children that are evaluated in this order until one decides. */
  def inOrder(children: Seq[Estimate], all: Boolean): Estimate = {
    val (cost, undecided) = children.foldLeft((0.0, 1.0)) { case ((sum, left), child) =>
      (sum + left * child.cost, left * (1 - child.deciding(all)))
    }
    Estimate(cost, if (all) undecided else 1 - undecided)
  }
}
