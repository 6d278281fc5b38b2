package io.adaptivespark.filter

import org.scalatest.funsuite.AnyFunSuite

class ConditionalPolicySuite extends AnyFunSuite {

  /** Evidence of rows, each a set of the leaves that it passes, with how many they are. */
  private def evidence(leaves: Int, costs: Seq[Long], rows: (Set[Int], Int)*): Evidence = {
    val seen = new Evidence(leaves)
    rows.foreach { case (passed, count) =>
      (0 until leaves).foreach { i =>
        seen.monitored(i) += count
        seen.nanos(i) += costs(i) * count
        if (passed(i)) seen.passed(i) += count
      }
      seen.outcomes.count((1L << leaves) - 1, passed.foldLeft(0L)(_ | 1L << _), count.toLong)
    }
    seen
  }

  private def next(shape: Shape, seen: Evidence, mayThrow: Int*): IndexedSeq[IndexedSeq[Int]] =
    ConditionalPolicy(0.3, margin = 0).next(
      LearnedOrder.written(shape),
      seen,
      shape,
      (0 until shape.leaves).map(mayThrow.contains)
    ).orders

  test("a predicate that another one implies goes last, though alone it ranks before a third") {
    // 0 and 1 drop the same four fifths, 2 drops half of what is left
    val seen = evidence(
      3,
      Seq(10, 11, 12),
      (Set(0, 1, 2), 100),
      (Set(0, 1), 100),
      (Set(2), 400),
      (Set.empty[Int], 400)
    )
    assert(next(Shape.flat(3), seen).head == Vector(0, 2, 1))
    val rank = RankPolicy(
      0.3,
      margin = 0
    ).next(LearnedOrder.written(Shape.flat(3)), seen, Shape.flat(3), Vector.fill(3)(false))
    assert(rank.order == Vector(0, 1, 2))
  }

  test("below an OR the predicate goes next that is true of most of the rows left") {
    val shape = Shape(Vector(Shape.Node(all = true, Vector(~1)), Shape.Node(all = false, Vector(0, 1, 2))), 3)
    val seen = evidence(3, Seq(10, 10, 10), (Set(0, 1), 500), (Set(2), 300), (Set.empty[Int], 200))
    assert(next(shape, seen)(1) == Vector(0, 2, 1))
  }

  test("what may throw takes those written before it along") {
    // 2 decides nearly everything and may throw; 1 is dear
    val seen = evidence(3, Seq(10, 100, 1), (Set(0, 1), 900), (Set(0, 1, 2), 10), (Set(1), 45), (Set(0), 45))
    assert(next(Shape.flat(3), seen, 2).head == Vector(0, 1, 2))
    assert(next(Shape.flat(3), seen).head.head == 2)
  }

  test("without joint outcomes the order is that of the ranks") {
    val seen = new Evidence(Array(100L, 100L), Array(50L, 50L), Array(2000L, 1000L))
    assert(next(Shape.flat(2), seen).head == Vector(1, 0))
  }

  test("old evidence fades, and is gone in the end") {
    val seen = evidence(2, Seq(10, 10), (Set(0), 8))
    (1 to 8).foreach(_ => seen.fade(0.5))
    assert(seen.outcomes.isEmpty && seen.samples == 0)
  }

  test("evidence follows its leaves to other places") {
    val seen = evidence(3, Seq(1, 2, 3), (Set(0, 2), 5))
    val selected = seen.select(Vector(2, 0))
    assert(selected.nanos.toSeq == Seq(15, 5) && selected.passed.toSeq == Seq(5, 5))
    val unknown = seen.select(Vector(1, -1))
    assert(unknown.monitored.toSeq == Seq(5, 0) && unknown.outcomes.isEmpty)
  }
}
