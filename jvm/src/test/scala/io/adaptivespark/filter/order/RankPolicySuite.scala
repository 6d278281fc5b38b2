package io.adaptivespark.filter.order

import org.scalatest.funsuite.AnyFunSuite

class RankPolicySuite extends AnyFunSuite {
  private def evidence(seen: (Long, Long, Long)*) =
    new Evidence(seen.map(_._1).toArray, seen.map(_._2).toArray, seen.map(_._3).toArray)
  private val flat = PredicateShape.flat(2)
  private val written = LearnedOrder.written(flat)
  private def free(size: Int) = IndexedSeq.fill(size)(false)

  test("rank is normalised cost over one minus selectivity") {
    val learned =
      RankPolicy(0.0, margin = 0.1).next(written, evidence((99, 49, 99000), (99, 24, 49500)), flat, free(2))
    assert(math.abs(learned.ranks(0) - 1.0 / (1 - 49.5 / 100)) < 1e-12)
    assert(math.abs(learned.ranks(1) - 0.5 / (1 - 24.5 / 100)) < 1e-12)
    assert(learned.order == Vector(1, 0) && !learned.isWritten && learned.epoch == 1)
  }

  test("momentum keeps its share of the previous rank") {
    val first =
      RankPolicy(0.3, margin = 0.1).next(written, evidence((99, 49, 99000), (99, 49, 9900)), flat, free(2))
    val second =
      RankPolicy(0.3, margin = 0.1).next(first, evidence((99, 49, 9900), (99, 49, 99000)), flat, free(2))
    assert(math.abs(second.ranks(0) - (0.7 * first.ranks(1) + 0.3 * first.ranks(0))) < 1e-12)
  }

  test("momentum 1 keeps the first ranks") {
    val first =
      RankPolicy(1.0, margin = 0.1).next(written, evidence((99, 49, 99000), (99, 49, 9900)), flat, free(2))
    val second =
      RankPolicy(1.0, margin = 0.1).next(first, evidence((99, 49, 10), (99, 49, 99000)), flat, free(2))
    assert(second.ranks.take(2) == first.ranks.take(2) && second.order == first.order)
  }

  test("a conjunct that was not monitored keeps its rank, and has none before it ever was") {
    val first = RankPolicy(0.3, margin = 0.1).next(written, evidence((99, 99, 990), (0, 0, 0)), flat, free(2))
    assert(first.ranks(1).isNaN && first.order == Vector(0, 1))
    val second = RankPolicy(0.3, margin = 0.1).next(first, evidence((0, 0, 0), (99, 0, 10)), flat, free(2))
    assert(second.ranks(0) == first.ranks(0) && second.order == Vector(1, 0))
  }

  test("everything passing and nothing passing give finite ranks") {
    val learned =
      RankPolicy(0.3, margin = 0.1).next(written, evidence((10, 10, 0), (10, 0, 0)), flat, free(2))
    assert(learned.ranks.take(2).forall(r => !r.isNaN && !r.isInfinite))
  }

  test("an order stands against one that would save next to nothing, and gives way to one that saves more") {
    val first =
      RankPolicy(
        0.0,
        margin = 0.1
      ).next(written, evidence((999, 499, 99900), (999, 499, 101000)), flat, free(2))
    val near = RankPolicy(
      0.0,
      margin = 0.1
    ).next(first, evidence((999, 499, 101000), (999, 499, 99900)), flat, free(2))
    val far =
      RankPolicy(0.0, margin = 0.1).next(near, evidence((999, 499, 200000), (999, 499, 50000)), flat, free(2))
    assert(first.order == Vector(0, 1) && near.order == Vector(0, 1) && far.order == Vector(1, 0))
  }

  test("below an OR the rank is cost over selectivity, and a node counts as its children in their order") {
    // 0 AND (1 OR 2)
    val shape = PredicateShape(
      Vector(
        PredicateShape.Node(isConjunction = true, Vector(0, ~1)),
        PredicateShape.Node(isConjunction = false, Vector(1, 2))
      ),
      3
    )
    val seen = evidence((999, 499, 100000), (999, 99, 10000), (999, 899, 10000))
    val learned = RankPolicy(0.0, margin = 0.0).next(LearnedOrder.written(shape), seen, shape, free(3))
    assert(learned.orders == Vector(Vector(1, 0), Vector(1, 0)))
    assert(math.abs(learned.ranks(2) - 0.1 / 0.9) < 0.01)
    // the OR: 0.1 + 0.1 * 0.1 for a share of 1 - 0.1 * 0.9
    assert(math.abs(learned.ranks(4) - 0.11 / (1 - 0.91)) < 0.1)
  }
}
