package io.adaptivespark.filter.order

/** The order in force: for each node of a shape, the positions of its children in the order of evaluation.
  *
  * @param ranks
  *   of the leaves, then of the nodes, each within its parent; NaN: not ranked yet
  */
final case class LearnedOrder(orders: IndexedSeq[IndexedSeq[Int]], ranks: IndexedSeq[Double], epoch: Int) {

  /** The order of the root's children. */
  def order: IndexedSeq[Int] = orders.head

  def isWritten: Boolean = orders.forall(order => order == order.indices)

  /** The leaves from first to last. */
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
