package io.adaptivespark

import org.scalatest.funsuite.AnyFunSuite

class SeedsSuite extends AnyFunSuite {

  test("a seed always makes the same numbers") {
    assert(Seq.fill(2)(Seeds.random(17)).map(random => Seq.fill(5)(random.nextLong())).distinct.size == 1)
  }

  test("neighbouring seeds begin with different numbers") {
    val first = (0L until 400L).map(Seeds.random(_).nextInt(4)).groupBy(identity)
    assert((0 until 4).forall(first.get(_).exists(_.size > 50)), first)
  }

  test("one case from a seed in the middle of a run is that case of the run") {
    assert(Seeds.of(10).head == Seeds.first && Seeds.of(10)(7) == Seeds.first + 7)
  }
}
