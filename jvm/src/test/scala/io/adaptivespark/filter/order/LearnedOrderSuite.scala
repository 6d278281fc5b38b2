package io.adaptivespark.filter.order

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.filter.plan.{Branch, Conjunct, Leaf, Segment, Tree}
import io.adaptivespark.filter.run.TreeSelection
import io.adaptivespark.filter.sampling.ConjunctLoops

class LearnedOrderSuite extends AnyFunSuite {
  private val random = new Random(7)

  private def randomShape(): PredicateShape = {
    def tree(depth: Int): Tree =
      if (depth == 0 || random.nextInt(3) == 0) Leaf(Conjunct(Nil))
      else Branch(random.nextBoolean(), Seq.fill(1 + random.nextInt(3))(tree(depth - 1)))
    Tree.shape(Seq.fill(1 + random.nextInt(3))(tree(3)))
  }

  private def randomOrder(shape: PredicateShape): LearnedOrder =
    LearnedOrder.written(shape).copy(orders =
      shape.nodes.map(node => random.shuffle(node.children.indices.toVector))
    )

  test("jumps decide every row as the tree does, in any order, and evaluate no leaf twice") {
    (1 to 2000).foreach { _ =>
      val shape = randomShape()
      val learned = randomOrder(shape)
      val jumps = BranchTargets.of(shape, learned)
      val truth = Vector.fill(shape.leaves)(random.nextBoolean())
      val visited =
        Iterator.iterate(jumps.first)(leaf => if (truth(leaf)) jumps.onTrue(leaf) else jumps.onFalse(leaf))
      val path = visited.takeWhile(_ >= 0).take(100).toVector
      val end = if (truth(path.last)) jumps.onTrue(path.last) else jumps.onFalse(path.last)
      assert(end == (if (shape.truth(~0, truth)) BranchTargets.Pass else BranchTargets.Fail))
      assert(path == path.distinct && path == learned.leaves(shape).filter(path.contains))
    }
  }

  test("a selection keeps the rows that the tree keeps, in their order, whatever the order of evaluation") {
    (1 to 500).foreach { _ =>
      val shape = randomShape()
      val truth = Vector.fill(shape.leaves)(Vector.fill(50)(random.nextBoolean()))
      val rows = (0 until 50).filter(_ => random.nextInt(4) > 0).toArray
      val expected = rows.filter(row => shape.truth(~0, truth(_)(row))).toSeq
      val selection = new TreeSelection(Segment(0, shape.leaves, shape), new Loops(truth))
      (1 to 3).foreach { _ =>
        val nodes = randomOrder(shape).orders.zip(shape.nodes).map { case (order, node) =>
          order.map(node.children).toArray
        }.toArray
        val kept = rows.clone()
        val count = if (rows.isEmpty) 0 else selection.keep(nodes, kept, rows.length)
        assert(kept.take(count).toSeq == expected)
      }
    }
  }

  test("leaves are listed from first to last") {
    val shape = PredicateShape(
      Vector(
        PredicateShape.Node(isConjunction = true, Vector(0, ~1)),
        PredicateShape.Node(isConjunction = false, Vector(1, 2))
      ),
      3
    )
    assert(LearnedOrder.written(shape).copy(orders = Vector(Vector(1, 0), Vector(1, 0))).leaves(shape) ==
      Vector(2, 1, 0))
  }
}

/** Loops over outcomes that are given, by leaf and row. */
private[adaptivespark] class Loops(truth: IndexedSeq[IndexedSeq[Boolean]]) extends ConjunctLoops {
  override def open(batch: org.apache.spark.sql.vectorized.ColumnarBatch): Unit = ()
  override def test(conjunct: Int, row: Int): Boolean = truth(conjunct)(row)
  override def keep(conjunct: Int, rows: Array[Int], count: Int, kept: Array[Int]): Int = {
    val passed = rows.take(count).filter(test(conjunct, _))
    passed.copyToArray(kept)
    passed.length
  }
}
