package io.adaptivespark.filter.plan

import io.adaptivespark.filter.order.PredicateShape

/** Consecutive conjuncts `[from, until)` in written order that may be reordered among themselves, within `shape`.
  *
  * @param hinted
  *   the order of the root's children that a hint asks for
  */
final case class Segment(
    from: Int,
    until: Int,
    shape: PredicateShape,
    hinted: Option[IndexedSeq[Int]] = None
) {
  def size: Int = until - from
  def movable: Boolean = size > 1
}
