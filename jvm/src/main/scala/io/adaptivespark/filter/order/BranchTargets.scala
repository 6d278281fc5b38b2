package io.adaptivespark.filter.order

/** An order as jumps from leaf to leaf: the evaluation of one leaf names the next one.
  *
  * @param first
  *   the leaf that is evaluated first
  * @param onTrue
  *   by leaf: the next leaf if it is true, or `Pass` or `Fail`
  * @param onFalse
  *   by leaf: the next leaf if it is false or null, or `Pass` or `Fail`
  */
final class BranchTargets(val first: Int, val onTrue: Array[Int], val onFalse: Array[Int])

object BranchTargets {
  val Pass: Int = -1
  val Fail: Int = -2

  def of(shape: PredicateShape, learned: LearnedOrder): BranchTargets = {
    val (onTrue, onFalse) = (new Array[Int](shape.leaves), new Array[Int](shape.leaves))
    // Works from the last child to the first: a child jumps to the one after it, which has to be known.
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
