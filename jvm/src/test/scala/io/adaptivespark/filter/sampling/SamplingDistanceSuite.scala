package io.adaptivespark.filter.sampling

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.conf.Rate

class SamplingDistanceSuite extends AnyFunSuite {
  test("a fixed rate is the mean distance of single rows, and of slices in their own length") {
    val distance = SamplingDistance(Rate(Some(100)), seed = 1)
    def mean(size: Long) = (1 to 10000).map(_ => distance.next(size, seen = 1000)).sum / 10000.0
    assert(math.abs(mean(1) - 100) < 3 && math.abs(mean(128) - 12800) < 300)
  }

  test("auto: sampling takes 0.3 % of the time") {
    val distance = SamplingDistance(Rate.auto, seed = 1)
    Thread.sleep(20)
    // 20 ms or more for 20,000 rows: at least 1,000 ns a row, so a sample of 15,000 ns
    // may come every 5,000 rows at most
    distance.took(15000)
    val mean = (1 to 1000).map(_ => distance.next(1, seen = 20000)).sum / 1000.0
    assert(mean > 1 && mean < 5500)
  }

  test("auto: one slow sample among quick ones, as of code that runs for the first time, does not count") {
    val distance = SamplingDistance(Rate.auto, seed = 1)
    Seq(100000000L, 1000L).foreach(distance.took)
    Thread.sleep(5)
    assert((1 to 1000).map(_ => distance.next(1, seen = 5000)).max <= 667)
  }
}
