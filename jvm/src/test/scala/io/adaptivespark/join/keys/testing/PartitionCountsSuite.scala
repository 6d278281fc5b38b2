package io.adaptivespark.join.keys.testing

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite

class PartitionCountsSuite extends AnyFunSuite with SparkSuite {
  private def counts(ofTasks: (Int, IndexedSeq[Long])*): IndexedSeq[Long] = {
    val total = PartitionCounts(size = 2, spark.sparkContext)
    ofTasks.foreach { of =>
      val ofTask = total.copyAndReset().asInstanceOf[PartitionCounts]
      ofTask.add(of)
      total.merge(ofTask)
    }
    assert(total.copy().value == total.value && total.copyAndReset().isZero)
    total.value
  }

  test("counts are summed over partitions, each of them once") {
    assert(counts() == Seq(0, 0))
    assert(counts(0 -> Vector(5, 1), 1 -> Vector(7, 2), 0 -> Vector(5, 1)) == Seq(12, 3))
  }

  test("of the tasks of a partition the one with the highest first count stands") {
    assert(counts(0 -> Vector(5, 4), 0 -> Vector(8, 1), 0 -> Vector(3, 2)) == Seq(8, 1))
  }

  test("tests of rows say which share passes, as tasks that run again count once") {
    val total = PartitionCounts(size = 2, spark.sparkContext)
    val tests = new PassRate(total)
    val passing = tests.passing
    assert(passing() == 1)
    tests.add(partition = 0, tested = 100, passed = 10)
    tests.add(partition = 1, tested = 100, passed = 90)
    tests.add(partition = 0, tested = 100, passed = 10)
    assert(passing() == 0.5)
  }
}
