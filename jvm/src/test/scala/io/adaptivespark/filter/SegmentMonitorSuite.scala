package io.adaptivespark.filter

import org.scalatest.funsuite.AnyFunSuite

class SegmentMonitorSuite extends AnyFunSuite {
  private def monitor(collectRate: Int, mayThrow: Boolean*): RowMonitor = {
    val shared =
      new SharedOrder("test", mayThrow.toIndexedSeq, RankPolicy(0.3), epochSamples = 100, verbose = false)
    new RowMonitor(shared, mayThrow.toArray, collectRate, seed = 1)
  }

  private def run(monitor: RowMonitor, rows: Int)(sample: Int => Unit): Unit = (0 until rows).foreach(
    row => if (monitor.tick()) { monitor.beginSample(); sample(row); monitor.endSample() }
  )

  test("one row in collectRate is sampled, on average, and every row is counted") {
    val m = monitor(100, false, false)
    var samples = 0
    run(m, 100000)(_ => samples += 1)
    assert(math.abs(samples - 1000) < 60 && m.rows == 100000)
  }

  test("collectRate 1 samples every row") {
    val m = monitor(1, false, false)
    var samples = 0
    run(m, 1000)(_ => samples += 1)
    assert(samples == 1000 && m.rows == 1000)
  }

  test("samples do not follow the period of the data") {
    val m = monitor(1000, false, false)
    val phases = scala.collection.mutable.Set.empty[Int]
    run(m, 1000000)(row => phases += row % 1000)
    assert(phases.size > 400)
  }

  test("a conjunct that may throw is evaluated in a sample only when all written before it have passed") {
    val m = monitor(1, false, false, true, false)
    m.beginSample()
    m.record(0, passed = true)
    assert(m.mayEvaluate(2))
    m.record(3, passed = false)
    assert(m.mayEvaluate(2))
    m.record(1, passed = false)
    assert(!m.mayEvaluate(2) && m.mayEvaluate(3))
  }

  test("what a task saw is in its report, the rows of an unfinished epoch included") {
    val m = monitor(1, false, false)
    run(m, 5) { row => m.record(0, passed = row < 2); m.record(1, passed = true) }
    val report = new FilterReport(3)
    m.finish(report, from = 1)
    assert(report.evidence.monitored.toSeq == Seq(0, 5, 5) && report.evidence.passed.toSeq == Seq(0, 2, 5) &&
      report.samples == 5)
  }

  test("a pause within a row hardly changes what its conjunct costs") {
    val m = monitor(1, false, false)
    run(m, 200) { row =>
      m.record(0, passed = true)
      if (row == 100) Thread.sleep(50)
      m.record(1, passed = true)
    }
    val report = new FilterReport(2)
    m.finish(report, from = 0)
    assert(report.evidence.nanos(1) < 25000000L)
  }
}
