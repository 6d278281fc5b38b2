package io.adaptivespark.filter.plan

import io.adaptivespark.filter.order.PredicateShape

/** A predicate tree on its way to a [[PredicateShape]] and the leaves below it. */
sealed trait Tree {
  def conjuncts: Seq[Conjunct] = this match {
    case Leaf(conjunct) => Seq(conjunct)
    case Branch(_, children) => children.flatMap(_.conjuncts)
  }
}
final case class Leaf(conjunct: Conjunct) extends Tree
final case class Branch(isConjunction: Boolean, children: Seq[Tree]) extends Tree

private[adaptivespark] object Tree {

  /** The shape of an AND over `children`, whose leaves are numbered from 0. */
  def shape(children: Seq[Tree]): PredicateShape = {
    val nodes = scala.collection.mutable.ArrayBuffer.empty[PredicateShape.Node]
    var leaves = 0
    def number(tree: Tree): Int = tree match {
      case Leaf(_) => leaves += 1; leaves - 1
      case Branch(isConjunction, below) =>
        val at = nodes.size
        nodes += PredicateShape.Node(isConjunction, Vector.empty)
        nodes(at) = PredicateShape.Node(isConjunction, below.map(number).toVector)
        ~at
    }
    number(Branch(isConjunction = true, children))
    PredicateShape(nodes.toVector, leaves)
  }
}
