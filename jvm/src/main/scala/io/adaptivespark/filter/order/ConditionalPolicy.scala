package io.adaptivespark.filter.order

/** Orders by the joint outcomes of sampled rows, and so sees correlated predicates.
  *
  * The next child is the one that decides most of the rows that are still undecided, for its cost. On AND
  * nodes this is A-Greedy (Babu et al., SIGMOD 2004), whose orders cost at most four times the best one.
  *
  * [[RankPolicy]] orders instead if joint outcomes are not known: for more leaves than [[Outcomes]] can
  * hold, and for a prior from a query that did not collect them.
  *
  * @param momentum
  *   share of an epoch's evidence that the next epoch keeps
  * @param margin
  *   share of the expected cost that a new order has to save
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
    // Ranks are shown in the log, and order the filter if joint outcomes are not known.
    val ranked = RankPolicy(momentum, margin).next(previous, evidence, shape, mayThrow)
    if (evidence.outcomes.isEmpty) ranked
    else {
      val sample = new JointSample(evidence, shape, mayThrow)
      // Greedy orders are not always best; now and then the order by ranks costs less.
      val (best, cost) = Seq(sample.arrange(), (ranked.orders, sample.cost(ranked.orders))).minBy(_._2)
      val pays = cost < (1 - margin) * sample.cost(previous.orders)
      ranked.copy(orders = if (pays) best else previous.orders)
    }
  }
}
