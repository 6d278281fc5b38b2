package io.adaptivespark.filter.order

/** What orders one segment and how: the same on every executor.
  *
  * @param mayThrow
  *   by leaf, see [[OrderPolicy]]
  * @param epochSamples
  *   sampled rows in a full epoch; the first epochs are shorter
  * @param initial
  *   the order before anything is measured
  * @param prior
  *   what an earlier query learned of the same leaves, for policies that keep evidence; may be empty
  */
final case class SegmentOrdering(
    label: String,
    shape: PredicateShape,
    mayThrow: IndexedSeq[Boolean],
    policy: OrderPolicy,
    epochSamples: Long,
    initial: LearnedOrder,
    prior: Option[Evidence],
    verbose: Boolean
) {

  /** The same once nothing counts any more that `learned` was learned from. */
  def after(learned: LearnedOrder): SegmentOrdering =
    copy(initial = LearnedOrder.written(shape).copy(orders = learned.orders), prior = None)
}
