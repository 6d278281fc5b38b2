package io.adaptivespark.filter.sampling

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._

import org.apache.spark.util.SizeEstimator
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.filter.order.Evidence

class FilterReportSuite extends AnyFunSuite with SparkSuite {
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
    r.addRows(in = 100, out = 10)
    r
  }

  test("reports of tasks add up, and the order of the latest epoch stands") {
    val accumulator = new FilterReportAccumulator(3)
    assert(accumulator.isZero)
    accumulator.add(5 -> report(epoch = 5, Seq(1, 0), monitored = 7))
    val other = accumulator.copyAndReset()
    other.add(2 -> report(epoch = 2, Seq(0, 1), monitored = 3))
    accumulator.merge(other)
    val sum = accumulator.value
    assert(sum.evidence.monitored.toSeq == Seq(0, 10, 10) && sum.reorderings == 2 && sum.rowsIn == 200 &&
      sum.rowsOut == 20)
    assert(sum.finalPlaces.toSeq == Seq(0, 2, 1))
  }

  test("a copy does not change with the original") {
    val accumulator = new FilterReportAccumulator(3)
    accumulator.add(1 -> report(epoch = 1, Seq(0, 1), monitored = 1))
    val copied = accumulator.copy()
    accumulator.add(2 -> report(epoch = 2, Seq(1, 0), monitored = 1))
    assert(copied.value.evidence.monitored.toSeq == Seq(0, 1, 1) &&
      copied.value.finalPlaces.toSeq == Seq(0, 1, 2))
  }

  test("a partition that is read again counts once") {
    val accumulator = new FilterReportAccumulator(3)
    (1 to 2).foreach(_ => accumulator.add(1 -> report(epoch = 1, Seq(0, 1), monitored = 1)))
    val seen = accumulator.value
    assert(seen.rowsIn == 100 && seen.rowsOut == 10)
    assert(seen.samples == 1 && seen.reorderings == 1 && seen.evidence.monitored.toSeq == Seq(0, 1, 1))
  }

  test("a partition that a task ran twice counts once, as the driver merges it") {
    val accumulator = new FilterReportAccumulator(3)
    for (partition <- Seq(1, 2, 1)) {
      val ofTask = accumulator.copyAndReset()
      ofTask.add(partition -> report(epoch = 1, Seq(0, 1), monitored = 4))
      accumulator.merge(ofTask)
    }
    val seen = accumulator.value
    assert(seen.rowsIn == 200 && seen.samples == 8 && seen.samplingNanos == 10)
    assert(seen.evidence.monitored.toSeq == Seq(0, 8, 8) && seen.evidence.nanos.toSeq == Seq(0, 20, 20))
  }

  test("a task that read more of its partition than the one before it counts") {
    val accumulator = new FilterReportAccumulator(3)
    val begun = report(epoch = 1, Seq(0, 1), monitored = 1)
    val whole = report(epoch = 2, Seq(1, 0), monitored = 5)
    whole.addRows(in = 900, out = 90)
    accumulator.add(1 -> begun)
    accumulator.add(1 -> whole)
    val seen = accumulator.value
    assert(seen.rowsIn == 1000 && seen.rowsOut == 100 && seen.evidence.monitored.toSeq == Seq(0, 6, 6))
  }

  test(
    "what outlives the query does not grow with its partitions, nor with the outcomes of many predicates"
  ) {
    val accumulator = new FilterReportAccumulator(20)
    for (partition <- 0 until 2000) {
      val seen = new FilterReport(20)
      seen.addRows(in = 100, out = 10)
      (0 until 10).foreach(i => seen.evidence.outcomes.count((1L << 20) - 1, partition * 10L + i))
      accumulator.add(partition -> seen)
    }
    assert(accumulator.value.rowsIn == 200000 && accumulator.value.rowsOut == 20000)
    assert(SizeEstimator.estimate(accumulator.report) < 64 * 1024)
  }

  /** A report in which every number follows from the others. */
  private def consistent(seen: FilterReport): Boolean = {
    var outcomes = 0L
    seen.evidence.outcomes.foreach((_, _, rows) => outcomes += rows)
    seen.evidence.monitored.toSet == Set(seen.samples) &&
    seen.evidence.passed.toSet == Set(2 * seen.samples) &&
    outcomes == seen.samples && seen.rowsIn == 10 * seen.rowsOut
  }

  private def ofTask(partition: Int): FilterReport = {
    val seen = new Evidence(Array.fill(8)(1L), Array.fill(8)(2L), Array.fill(8)(3L))
    seen.outcomes.count(255, partition.toLong % 200)
    val report = new FilterReport(8)
    report.addSegment(0, seen, samples = 1, reorderings = 0, samplingNanos = 1, 0 until 8, epoch = 1)
    report.addRows(in = 10, out = 1)
    report
  }

  /** Adds the reports of many tasks while `read` is called over and over. */
  private def whileTasksAdd(accumulator: FilterReportAccumulator)(read: => Unit): Unit = {
    val tasks = Future((0 until 50000).foreach(i => accumulator.add(i -> ofTask(i))))
    while (!tasks.isCompleted) read
    Await.result(tasks, 1.minute)
  }

  test("what is read while tasks add to it fits together") {
    val accumulator = new FilterReportAccumulator(8)
    whileTasksAdd(accumulator) {
      assert(consistent(accumulator.value) && consistent(accumulator.copy().value))
    }
    assert(accumulator.value.samples == 50000 && accumulator.value.rowsIn == 500000)
  }

  test("what a heartbeat sends while its task adds to it fits together") {
    val onDriver = new FilterReportAccumulator(8)
    spark.sparkContext.register(onDriver)
    val ofTask = sent(onDriver)
    whileTasksAdd(ofTask)(assert(consistent(sent(ofTask).value)))
    assert(sent(ofTask).value.samples == 50000)
  }

  private def sent(accumulator: FilterReportAccumulator): FilterReportAccumulator = {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(accumulator)
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)) {
      override def resolveClass(of: java.io.ObjectStreamClass): Class[_] =
        Class.forName(of.getName, false, getClass.getClassLoader)
    }.readObject().asInstanceOf[FilterReportAccumulator]
  }
}
