package io.adaptivespark.filter

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Rate

class SegmentMonitorSuite extends AnyFunSuite {
  private def monitor(collectRate: Int, mayThrow: Boolean*): RowMonitor = {
    val shape = Shape.flat(mayThrow.size)
    val ordering = Ordering(
      "test",
      shape,
      mayThrow.toIndexedSeq,
      RankPolicy(0.3, margin = 0.1),
      epochSamples = 100,
      LearnedOrder.written(shape),
      prior = None,
      verbose = false
    )
    new RowMonitor(new SharedOrder(ordering), ordering, SamplingDistance(Rate(Some(collectRate)), seed = 1))
  }

  /** Evaluates rows; `truth` by row and leaf. Returns the leaves that evaluated each sampled row. */
  private def run(monitor: RowMonitor, rows: Int)(truth: (Int, Int) => Boolean): Seq[Seq[Int]] =
    (0 until rows).flatMap(row => Option.when(monitor.isNextSample())(sample(monitor, truth(row, _))))

  private def sample(monitor: RowMonitor, truth: Int => Boolean): Seq[Int] =
    Iterator.iterate((monitor.beginSample(), Seq.empty[Int])) { case (leaf, seen) =>
      (monitor.record(leaf, truth(leaf)), seen :+ leaf)
    }.dropWhile(_._1 >= 0).next()._2

  test("one row in collectRate is sampled, on average, and every row is counted") {
    val m = monitor(100, false, false)
    val samples = run(m, 100000)((_, _) => true).size
    assert(math.abs(samples - 1000) < 60 && m.rows == 100000)
  }

  test("collectRate 1 samples every row") {
    val m = monitor(1, false, false)
    assert(run(m, 1000)((_, _) => true).size == 1000 && m.rows == 1000)
  }

  test("samples do not follow the period of the data") {
    val m = monitor(1000, false, false)
    val phases = scala.collection.mutable.Set.empty[Int]
    run(m, 1000000) { (row, _) => phases += row % 1000; true }
    assert(phases.size > 400)
  }

  test("a leaf that may throw is evaluated in a sample only when all written before it have passed") {
    val m = monitor(1, false, false, true, false)
    assert(run(m, 1)((_, _) => true) == Seq(Seq(0, 1, 2, 3)))
    assert(run(m, 1)((_, leaf) => leaf != 1) == Seq(Seq(0, 1, 3)))
    assert(run(m, 1)((_, leaf) => leaf != 3) == Seq(Seq(0, 1, 2, 3)))
  }

  test("what a task saw is in its report, the rows of an unfinished epoch included") {
    val m = monitor(1, false, false)
    run(m, 5)((row, leaf) => leaf == 1 || row < 2)
    val report = new FilterReport(3)
    m.finish(report, from = 1)
    assert(report.evidence.monitored.toSeq == Seq(0, 5, 5) && report.evidence.passed.toSeq == Seq(0, 2, 5) &&
      report.samples == 5)
    val outcomes = scala.collection.mutable.Map.empty[(Long, Long), Long]
    report.evidence.outcomes.foreach((evaluated, passed, rows) => outcomes((evaluated, passed)) = rows)
    assert(outcomes == Map((6L, 6L) -> 2L, (6L, 4L) -> 3L))
  }

  test("a pause within a row hardly changes what its leaf costs") {
    val m = monitor(1, false, false)
    run(m, 200) { (row, leaf) =>
      if (row == 100 && leaf == 1) Thread.sleep(50)
      true
    }
    val report = new FilterReport(2)
    m.finish(report, from = 0)
    assert(report.evidence.nanos(1) < 25000000L)
  }
}
