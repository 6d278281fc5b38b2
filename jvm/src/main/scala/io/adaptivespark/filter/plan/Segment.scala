package io.adaptivespark.filter.plan

import io.adaptivespark.filter.order.PredicateShape

/** Consecutive conjuncts `[from, until)` that may be reordered among themselves.
  *
  * @param from
  *   the first conjunct, which is leaf 0
  * @param hinted
  *   positions of the root's children in the order that a hint asks for
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
