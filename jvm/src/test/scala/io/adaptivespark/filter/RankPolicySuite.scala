package io.adaptivespark.filter

import org.scalatest.funsuite.AnyFunSuite

class RankPolicySuite extends AnyFunSuite {
  private def evidence(seen: (Long, Long, Long)*) =
    new Evidence(seen.map(_._1).toArray, seen.map(_._2).toArray, seen.map(_._3).toArray)
  private def free(size: Int) = IndexedSeq.fill(size)(false)

  test("rank is normalised cost over one minus selectivity") {
    val learned =
      RankPolicy(0.0).next(LearnedOrder.written(2), evidence((99, 49, 99000), (99, 24, 49500)), free(2))
    assert(math.abs(learned.ranks(0) - 1.0 / (1 - 49.5 / 100)) < 1e-12)
    assert(math.abs(learned.ranks(1) - 0.5 / (1 - 24.5 / 100)) < 1e-12)
    assert(learned.order == Vector(1, 0) && !learned.isWritten && learned.epoch == 1)
  }

  test("momentum keeps its share of the previous rank") {
    val first =
      RankPolicy(0.3).next(LearnedOrder.written(2), evidence((99, 49, 99000), (99, 49, 9900)), free(2))
    val second = RankPolicy(0.3).next(first, evidence((99, 49, 9900), (99, 49, 99000)), free(2))
    assert(math.abs(second.ranks(0) - (0.7 * first.ranks(1) + 0.3 * first.ranks(0))) < 1e-12)
  }

  test("momentum 1 keeps the first ranks") {
    val first =
      RankPolicy(1.0).next(LearnedOrder.written(2), evidence((99, 49, 99000), (99, 49, 9900)), free(2))
    val second = RankPolicy(1.0).next(first, evidence((99, 49, 10), (99, 49, 99000)), free(2))
    assert(second.ranks == first.ranks && second.order == first.order)
  }

  test("a conjunct that was not monitored keeps its rank, and has none before it ever was") {
    val first = RankPolicy(0.3).next(LearnedOrder.written(2), evidence((99, 99, 990), (0, 0, 0)), free(2))
    assert(first.ranks(1).isNaN && first.order == Vector(0, 1))
    val second = RankPolicy(0.3).next(first, evidence((0, 0, 0), (99, 0, 10)), free(2))
    assert(second.ranks(0) == first.ranks(0) && second.order == Vector(1, 0))
  }

  test("everything passing and nothing passing give finite ranks") {
    val learned = RankPolicy(0.3).next(LearnedOrder.written(2), evidence((10, 10, 0), (10, 0, 0)), free(2))
    assert(learned.ranks.forall(r => !r.isNaN && !r.isInfinite))
  }

  test("an order stands against one that would save next to nothing, and gives way to one that saves more") {
    val first =
      RankPolicy(0.0).next(LearnedOrder.written(2), evidence((999, 499, 99900), (999, 499, 101000)), free(2))
    val near = RankPolicy(0.0).next(first, evidence((999, 499, 101000), (999, 499, 99900)), free(2))
    val far = RankPolicy(0.0).next(near, evidence((999, 499, 200000), (999, 499, 50000)), free(2))
    assert(first.order == Vector(0, 1) && near.order == Vector(0, 1) && far.order == Vector(1, 0))
  }
}
