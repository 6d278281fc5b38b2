package io.adaptivespark.filter.order

/** The paper's policy (arXiv 1905.01349, §2.1), for OR nodes and nested ones too.
  *
  * Below an AND, rank = normalised cost / (1 - selectivity), below an OR normalised cost / selectivity, ascending; the cost is divided by the largest of
  * the epoch, the selectivity is the share of the monitored rows that passed. A node counts as its children in their order, taken as independent. A rank
  * keeps `momentum` of what it was before.
  *
  * @param margin
  *   share of the expected cost that another order has to save before it replaces the one in force
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

/** What a leaf or node is expected to cost a row, in any unit (NaN: not known), and the share of rows that pass it. */
private[adaptivespark] final case class Estimate(cost: Double, passing: Double) {
  private def deciding(all: Boolean): Double = if (all) 1 - passing else passing

  /** The lower, the earlier below an AND (`all`) or an OR. */
  def rank(all: Boolean): Double = cost / deciding(all)

  /** The same with the cost that `rank` stands for; what is not ranked yet is free. */
  def ranked(rank: Double, all: Boolean): Estimate = copy(cost = if (rank.isNaN) 0 else rank * deciding(all))
}

private[adaptivespark] object Estimate {

  /** Independent children, evaluated in this order until one decides. */
  def inOrder(children: Seq[Estimate], all: Boolean): Estimate = {
    val (cost, undecided) = children.foldLeft((0.0, 1.0)) { case ((sum, left), child) =>
      (sum + left * child.cost, left * (1 - child.deciding(all)))
    }
    Estimate(cost, if (all) undecided else 1 - undecided)
  }
}
