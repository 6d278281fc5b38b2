package io.adaptivespark.filter.order

/** Orders by joint outcomes, so that correlated predicates are seen: of those left, the one goes next that decides most of the rows that the ones before
  * leave undecided, for its cost. For AND nodes that is A-Greedy (Babu et al., SIGMOD 2004), within four times the best order.
  *
  * Where joint outcomes are not known, it is [[RankPolicy]]: of more leaves than [[Outcomes]] can hold, and of a prior from a query that did not ask for
  * them.
  *
  * @param momentum
  *   share of an epoch's evidence that the next keeps
  * @param margin
  *   share of the expected cost that another order has to save before it replaces the one in force
  */
final case class ConditionalPolicy(momentum: Double, margin: Double) extends OrderPolicy {
  override def carriedOver: Double = momentum
  override def usesOutcomes: Boolean = true

  override def next(
      previous: LearnedOrder,
      evidence: Evidence,
      shape: PredicateShape,
      mayThrow: IndexedSeq[Boolean]
  ): LearnedOrder = {
    // For the ranks that are shown; and where joint outcomes are not known, for the order too.
    val ranked = RankPolicy(momentum, margin).next(previous, evidence, shape, mayThrow)
    if (evidence.outcomes.isEmpty) ranked
    else {
      val sample = new JointSample(evidence, shape, mayThrow)
      // Greedy is not always best; now and then ranks are better.
      val (best, cost) = Seq(sample.arrange(), (ranked.orders, sample.cost(ranked.orders))).minBy(_._2)
      val pays = cost < (1 - margin) * sample.cost(previous.orders)
      ranked.copy(orders = if (pays) best else previous.orders)
    }
  }
}
