package io.adaptivespark.filter.sampling

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.filter.order.Evidence

class DriftDetectorSuite extends AnyFunSuite {
  private val rows = 128

  /** At which of the windows, each given by the share of rows that pass, rows are found to have changed. */
  private def alarms(seed: Int)(shares: Seq[Double]): Seq[Int] = {
    val (detector, random) = (new DriftDetector(1), new Random(seed))
    val changed = shares.map { share =>
      val passed = Iterator.fill(rows)(random.nextDouble()).count(_ < share).toLong
      val differs = detector.differs(new Evidence(Array(rows.toLong), Array(passed), Array(1L)))
      if (differs) detector.startAnew()
      differs
    }
    changed.zipWithIndex.collect { case (true, window) => window }
  }

  for (share <- Seq(0.0, 0.001, 0.05, 0.5, 0.99, 1.0)) test(s"chance is no change, $share of the rows") {
    val found = (1 to 20).map(seed => alarms(seed)(Seq.fill(1000)(share)).size).sum
    assert(found <= 2)
  }

  test("a change is found in its first window, each time") {
    val phases = Seq.tabulate(40)(i => if (i / 10 % 2 == 0) 0.02 else 0.98)
    for (seed <- 1 to 20) assert(alarms(seed)(phases) == Seq(10, 20, 30))
  }

  test("a smaller change is found too") {
    val found = (1 to 20).count(seed =>
      alarms(seed)(Seq.tabulate(40)(i => if (i < 20) 0.3 else 0.7)) == Seq(20)
    )
    assert(found >= 18)
  }

  test("rows that are alike only with their neighbours do not change all the time") {
    val found = (1 to 20).map { seed =>
      val random = new Random(-seed)
      alarms(seed)(Seq.fill(1000)(if (random.nextDouble() < 0.3) 1.0 else 0.0)).size
    }.sum
    assert(found <= 40)
  }

  test("a leaf that no row of a window came to says nothing") {
    val detector = new DriftDetector(2)
    val seen = (1 to 10).map(_ =>
      detector.differs(new Evidence(Array(100L, 0L), Array(50L, 0L), Array(1L, 0L)))
    )
    assert(!seen.contains(true))
  }
}
