package io.adaptivespark.filter.order

/** The order in force.
  *
  * @param orders
  *   by node: the positions of its children, in the order of evaluation
  * @param ranks
  *   by slot, comparable within one node; NaN before anything is measured
  * @param epoch
  *   number of epochs that have ended
  */
final case class LearnedOrder(orders: IndexedSeq[IndexedSeq[Int]], ranks: IndexedSeq[Double], epoch: Int) {

  /** Positions of the root's children, in the order of evaluation. */
  def order: IndexedSeq[Int] = orders.head

  def isWritten: Boolean = orders.forall(order => order == order.indices)

  /** Leaves in the order of evaluation. */
  def leaves(shape: PredicateShape): IndexedSeq[Int] = {
    def below(child: Int): IndexedSeq[Int] =
      if (child >= 0) Vector(child)
      else orders(~child).flatMap(position => below(shape.nodes(~child).children(position)))
    below(~0)
  }
}

object LearnedOrder {
  def written(shape: PredicateShape): LearnedOrder =
    LearnedOrder(
      shape.nodes.map(_.children.indices),
      Vector.fill(shape.leaves + shape.nodes.size)(Double.NaN),
      epoch = 0
    )
}
