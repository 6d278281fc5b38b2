package io.adaptivespark.filter.order

/** How one segment is ordered, equal on every executor.
  *
  * @param label
  *   the filter and the segment in log lines
  * @param mayThrow
  *   by leaf, see [[OrderPolicy]]
  * @param epochSamples
  *   sampled rows of a full epoch; the first epochs are shorter
  * @param initial
  *   the order before anything is measured
  * @param prior
  *   evidence from earlier queries on the same leaves, for policies that carry evidence over
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

  /** A copy that starts from `learned` and forgets the evidence that it was learned from. */
  def after(learned: LearnedOrder): SegmentOrdering =
    copy(initial = LearnedOrder.written(shape).copy(orders = learned.orders), prior = None)
}
