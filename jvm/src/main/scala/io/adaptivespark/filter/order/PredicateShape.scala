package io.adaptivespark.filter.order

/** The AND and OR nodes above the leaves of a segment. Node 0 is the root, an AND.
  *
  * A child is a number: that of a leaf, or the complement (`~`) of that of a node. Children are in written order, and so are leaves.
  */
final case class PredicateShape(nodes: IndexedSeq[PredicateShape.Node], leaves: Int) {

  /** Whether all leaves are children of the root. */
  def isFlat: Boolean = nodes.size == 1

  /** By leaf, the nodes between the root and the leaf, outermost first: `OR 1 / AND 3`, each with its number from `from` on. */
  def branches(from: Int): IndexedSeq[Option[String]] = {
    def below(child: Int, path: Vector[String]): Seq[(Int, Option[String])] =
      if (child >= 0) Seq(child -> Option.when(path.nonEmpty)(path.mkString(" / ")))
      else {
        val node = nodes(~child)
        val name = s"${if (node.isConjunction) "AND" else "OR"} ${from + ~child}"
        node.children.flatMap(below(_, path :+ name))
      }
    nodes.head.children.flatMap(below(_, Vector.empty)).sortBy(_._1).map(_._2)
  }

  /** Whether `child` is true, given what is known of the leaves. */
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
