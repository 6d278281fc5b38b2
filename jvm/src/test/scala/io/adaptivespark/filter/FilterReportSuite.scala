package io.adaptivespark.filter

import org.scalatest.funsuite.AnyFunSuite

class FilterReportSuite extends AnyFunSuite {
  private def report(epoch: Int, order: Seq[Int], monitored: Long): FilterReport = {
    val r = new FilterReport(3)
    val seen = new Evidence(Array.fill(2)(monitored), Array.fill(2)(1L), Array.fill(2)(10L))
    r.addSegment(
      1,
      seen,
      samples = monitored,
      reorderings = 1,
      samplingNanos = 5,
      order.toIndexedSeq,
      epoch
    )
    r.setRows(partition = epoch, in = 100, out = 10)
    r
  }

  test("reports of tasks add up, and the order of the latest epoch stands") {
    val accumulator = new FilterReportAccumulator(3)
    assert(accumulator.isZero)
    accumulator.add(report(epoch = 5, Seq(1, 0), monitored = 7))
    val other = accumulator.copyAndReset()
    other.add(report(epoch = 2, Seq(0, 1), monitored = 3))
    accumulator.merge(other)
    val sum = accumulator.value
    assert(sum.evidence.monitored.toSeq == Seq(0, 10, 10) && sum.reorderings == 2 && sum.rowsIn == 200 &&
      sum.rowsOut == 20)
    assert(sum.finalPositions.toSeq == Seq(0, 2, 1))
  }

  test("a copy does not change with the original") {
    val accumulator = new FilterReportAccumulator(3)
    accumulator.add(report(epoch = 1, Seq(0, 1), monitored = 1))
    val copied = accumulator.copy()
    accumulator.add(report(epoch = 2, Seq(1, 0), monitored = 1))
    assert(copied.value.evidence.monitored.toSeq == Seq(0, 1, 1) &&
      copied.value.finalPositions.toSeq == Seq(0, 1, 2))
  }

  test("a partition that is read again counts once") {
    val accumulator = new FilterReportAccumulator(3)
    (1 to 2).foreach(_ => accumulator.add(report(epoch = 1, Seq(0, 1), monitored = 1)))
    assert(accumulator.value.rowsIn == 100 && accumulator.value.rowsOut == 10)
  }
}
