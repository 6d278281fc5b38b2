package io.adaptivespark.filter.order

/** AND and OR nodes above the leaves of a segment.
  *
  * The packages of the filter count several things, each by a word of its own. All begin at 0.
  *
  *   - segment: a part of the filter that no conjunct leaves, in written order.
  *   - leaf: a predicate that is evaluated as a whole, in written order within its segment.
  *   - conjunct: a leaf counted through the whole filter: the segment's first conjunct plus the leaf.
  *   - node: an AND or OR of a segment. Node 0 is the root, an AND.
  *   - child: a leaf, or the complement (`~`) of a node.
  *   - slot: the leaves and, after them, the nodes of a segment, in one array.
  *   - position: a child of one node, in written order.
  *   - place: a step of an order. Place 0 is evaluated first.
  *
  * @param nodes
  *   the children of each node in written order
  * @param leaves
  *   number of leaves
  */
final case class PredicateShape(nodes: IndexedSeq[PredicateShape.Node], leaves: Int) {

  /** True if every leaf is a child of the root. */
  def isFlat: Boolean = nodes.size == 1

  /** By leaf, the nodes between the root and the leaf, outermost first: `OR 1 / AND 3`, each
    * with its number from `from` on.
    */
  def branches(from: Int): IndexedSeq[Option[String]] = {
    def below(child: Int, path: Vector[String]): Seq[(Int, Option[String])] =
      if (child >= 0) Seq(child -> (if (path.nonEmpty) Some(path.mkString(" / ")) else None))
      else {
        val node = nodes(~child)
        val name = s"${if (node.isConjunction) "AND" else "OR"} ${from + ~child}"
        node.children.flatMap(below(_, path :+ name))
      }
    nodes.head.children.flatMap(below(_, Vector.empty)).sortBy(_._1).map(_._2)
  }

  /** Truth of `child`, given that of the leaves. */
  def truth(child: Int, leaf: Int => Boolean): Boolean =
    if (child >= 0) leaf(child)
    else {
      val node = nodes(~child)
      if (node.isConjunction) node.children.forall(truth(_, leaf)) else node.children.exists(truth(_, leaf))
    }
}

object PredicateShape {

  /** An AND, or an OR. */
  final case class Node(isConjunction: Boolean, children: IndexedSeq[Int])

  def flat(leaves: Int): PredicateShape =
    PredicateShape(Vector(Node(isConjunction = true, 0 until leaves)), leaves)
}
