package io.adaptivespark.filter

/** The AND and OR nodes above the leaves of a segment. Node 0 is the root, an AND.
  *
  * A child is a number: that of a leaf, or the complement (`~`) of that of a node. Children are in written order, and so are leaves.
  */
final case class Shape(nodes: IndexedSeq[Shape.Node], leaves: Int) {

  /** Whether all leaves are children of the root. */
  def isFlat: Boolean = nodes.size == 1

  /** By leaf, the nodes between the root and the leaf, outermost first: `OR 1 / AND 3`, each with its number from `from` on. */
  def branches(from: Int): IndexedSeq[Option[String]] = {
    def below(child: Int, path: Vector[String]): Seq[(Int, Option[String])] =
      if (child >= 0) Seq(child -> Option.when(path.nonEmpty)(path.mkString(" / ")))
      else {
        val node = nodes(~child)
        val name = s"${if (node.all) "AND" else "OR"} ${from + ~child}"
        node.children.flatMap(below(_, path :+ name))
      }
    nodes.head.children.flatMap(below(_, Vector.empty)).sortBy(_._1).map(_._2)
  }

  /** Whether `child` is true, given what is known of the leaves. */
  def truth(child: Int, leaf: Int => Boolean): Boolean =
    if (child >= 0) leaf(child)
    else {
      val node = nodes(~child)
      if (node.all) node.children.forall(truth(_, leaf)) else node.children.exists(truth(_, leaf))
    }
}

object Shape {

  /** @param all
    *   whether an AND, otherwise an OR
    */
  final case class Node(all: Boolean, children: IndexedSeq[Int])

  def flat(leaves: Int): Shape = Shape(Vector(Node(all = true, 0 until leaves)), leaves)

  /** The shape of an AND over `children`, whose leaves are numbered from 0. */
  def of(children: Seq[Tree]): Shape = {
    val nodes = scala.collection.mutable.ArrayBuffer.empty[Node]
    var leaves = 0
    def number(tree: Tree): Int = tree match {
      case Leaf(_) => leaves += 1; leaves - 1
      case Branch(all, below) =>
        val at = nodes.size
        nodes += Node(all, Vector.empty)
        nodes(at) = Node(all, below.map(number).toVector)
        ~at
    }
    number(Branch(all = true, children))
    Shape(nodes.toVector, leaves)
  }
}

/** A predicate tree on its way to a [[Shape]] and the leaves below it. */
sealed trait Tree {
  def conjuncts: Seq[Conjunct] = this match {
    case Leaf(conjunct) => Seq(conjunct)
    case Branch(_, children) => children.flatMap(_.conjuncts)
  }
}
final case class Leaf(conjunct: Conjunct) extends Tree
final case class Branch(all: Boolean, children: Seq[Tree]) extends Tree
