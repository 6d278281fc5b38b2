package io.adaptivespark.filter.plan

import io.adaptivespark.filter.order.PredicateShape

/** A conjunct taken apart, from which a [[PredicateShape]] and its leaves are made. */
sealed trait Tree {
  def conjuncts: Seq[Conjunct] = this match {
    case Leaf(conjunct) => Seq(conjunct)
    case Branch(_, children) => children.flatMap(_.conjuncts)
  }
}
final case class Leaf(conjunct: Conjunct) extends Tree
final case class Branch(isConjunction: Boolean, children: Seq[Tree]) extends Tree

private[adaptivespark] object Tree {

  /** Shape of an AND over `children`. */
  def shape(children: Seq[Tree]): PredicateShape = {
    val nodes = scala.collection.mutable.ArrayBuffer.empty[PredicateShape.Node]
    var leaves = 0
    def childOf(tree: Tree): Int = tree match {
      case Leaf(_) => leaves += 1; leaves - 1
      case Branch(isConjunction, below) =>
        val at = nodes.size
        nodes += PredicateShape.Node(isConjunction, Vector.empty)
        nodes(at) = PredicateShape.Node(isConjunction, below.map(childOf).toVector)
        ~at
    }
    childOf(Branch(isConjunction = true, children))
    PredicateShape(nodes.toVector, leaves)
  }
}
