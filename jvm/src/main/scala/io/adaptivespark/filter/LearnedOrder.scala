package io.adaptivespark.filter

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
  def leaves(shape: Shape): IndexedSeq[Int] = {
    def below(child: Int): IndexedSeq[Int] =
      if (child >= 0) Vector(child)
      else orders(~child).flatMap(position => below(shape.nodes(~child).children(position)))
    below(~0)
  }
}

object LearnedOrder {
  def written(shape: Shape): LearnedOrder =
    LearnedOrder(
      shape.nodes.map(_.children.indices),
      Vector.fill(shape.leaves + shape.nodes.size)(Double.NaN),
      epoch = 0
    )
}

/** An order as a machine that evaluates one leaf at a time: where to go on when it is true, and when it is not.
  *
  * @param onTrue
  *   by leaf: the next leaf, or `Pass` or `Fail`
  */
final class Jumps(val first: Int, val onTrue: Array[Int], val onFalse: Array[Int])

object Jumps {
  val Pass: Int = -1
  val Fail: Int = -2

  def of(shape: Shape, learned: LearnedOrder): Jumps = {
    val (onTrue, onFalse) = (new Array[Int](shape.leaves), new Array[Int](shape.leaves))
    // From the last leaf to the first: where a child begins depends on where its parent goes on after it.
    def enter(child: Int, whenTrue: Int, whenFalse: Int): Int =
      if (child >= 0) {
        onTrue(child) = whenTrue
        onFalse(child) = whenFalse
        child
      } else {
        val node = shape.nodes(~child)
        val children = learned.orders(~child).map(node.children)
        children.init.foldRight(enter(children.last, whenTrue, whenFalse)) { (each, next) =>
          if (node.all) enter(each, next, whenFalse) else enter(each, whenTrue, next)
        }
      }
    new Jumps(enter(~0, Pass, Fail), onTrue, onFalse)
  }
}
