package io.adaptivespark.filter.order

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class PrecedenceOrderSuite extends AnyFunSuite {
  private val free = IndexedSeq.fill(8)(false)

  test("ranks ascend where everything may move") {
    assert(PrecedenceOrder.sort(Vector(3.0, 1.0, 2.0), Vector(0.5, 0.5, 0.5), free) == Vector(1, 2, 0))
  }

  test("equal ranks keep the written order") {
    assert(PrecedenceOrder.sort(Vector(1.0, 1.0, 1.0), Vector(0.1, 0.9, 0.5), free) == Vector(0, 1, 2))
  }

  test("what is not ranked yet goes last") {
    assert(PrecedenceOrder.sort(Vector(Double.NaN, 5.0), Vector(0.5, 0.5), free) == Vector(1, 0))
  }

  test("a conjunct that may throw stays behind those written before it, however low it ranks") {
    assert(PrecedenceOrder.sort(Vector(9.0, 0.1, 7.0), Vector(0.5, 0.5, 0.5), Vector(false, true, false)) ==
      Vector(0, 1, 2))
    assert(PrecedenceOrder.sort(Vector(9.0, 0.1, 1.0), Vector(0.5, 0.5, 0.5), Vector(false, true, false)) ==
      Vector(2, 0, 1))
  }

  test("what never throws moves ahead of what may") {
    assert(PrecedenceOrder.sort(Vector(5.0, 1.0), Vector(0.5, 0.5), Vector(true, false)) == Vector(1, 0))
  }

  test("the order is the cheapest of all that the constraints allow") {
    val random = new Random(7)
    for (_ <- 1 to 2000) {
      val n = 1 + random.nextInt(6)
      val costs = Vector.fill(n)(0.01 + random.nextDouble())
      val passing = Vector.fill(n)(0.02 + 0.96 * random.nextDouble())
      val mayThrow = Vector.fill(n)(random.nextInt(3) == 0)
      val ranks = costs.zip(passing).map { case (c, s) => c / (1 - s) }
      def allowed(order: Seq[Int]) = order.zipWithIndex.forall { case (p, at) =>
        !mayThrow(p) || (0 until p).forall(order.take(at).contains)
      }
      def cost(order: Seq[Int]) = order.foldLeft((0.0, 1.0)) { case ((sum, left), p) =>
        (sum + left * costs(p), left * passing(p))
      }._1
      val order = PrecedenceOrder.sort(ranks, passing, mayThrow)
      assert(allowed(order))
      val best = (0 until n).permutations.filter(allowed).map(cost).min
      assert(cost(order) <= best * (1 + 1e-9), s"costs $costs passing $passing mayThrow $mayThrow: $order")
    }
  }
}
