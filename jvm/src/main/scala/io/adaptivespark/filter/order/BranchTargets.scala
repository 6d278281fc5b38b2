package io.adaptivespark.filter.order

/** An order as a machine that evaluates one leaf at a time: where to go on when it is true, and when it is not.
  *
  * @param onTrue
  *   by leaf: the next leaf, or `Pass` or `Fail`
  */
final class BranchTargets(val first: Int, val onTrue: Array[Int], val onFalse: Array[Int])

object BranchTargets {
  val Pass: Int = -1
  val Fail: Int = -2

  def of(shape: PredicateShape, learned: LearnedOrder): BranchTargets = {
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
          if (node.isConjunction) enter(each, next, whenFalse) else enter(each, whenTrue, next)
        }
      }
    new BranchTargets(enter(~0, Pass, Fail), onTrue, onFalse)
  }
}
