package io.adaptivespark.join.keys.testing

import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String

import io.adaptivespark.join.keys.{BitmapFilter, KeyMembership}

/** Tests the rows of one task.
  *
  * Once most of them turn out to pass, it lets all others pass untested: the join decides anyway.
  *
  * @param keys
  *   null where there are none
  * @param mayStop
  *   false where all rows are to be tested
  */
final class RowKeyTester(keys: KeyMembership, mayStop: Boolean) {
  // Called directly: once there are tests of three kinds, a call through their interface is not
  // compiled into the loop over rows.
  private val bitmap = keys match {
    case bitmap: BitmapFilter => bitmap
    case _ => null
  }
  private var watching = keys != null
  private var filters = keys != null
  private var tested = 0
  private var passed = 0

  def test(key: Long): Boolean =
    !filters || count(if (bitmap ne null) bitmap.mayHold(key) else keys.mayHold(key))
  def test(key: UTF8String): Boolean = !filters || count(keys.mayHold(key))
  def test(key: Decimal): Boolean = !filters || count(keys.mayHold(key))
  def test(key: Array[Byte]): Boolean = !filters || count(keys.mayHold(key))

  def report(tests: PassRate, partition: Int): Unit = tests.add(partition, tested, passed)

  private def count(holds: Boolean): Boolean = {
    if (watching) watch(holds)
    holds
  }

  private def watch(holds: Boolean): Unit = {
    tested += 1
    if (holds) passed += 1
    if (tested == RowKeyTester.Watched) {
      watching = false
      filters = !mayStop || passed < RowKeyTester.MostPassing * tested
    }
  }
}

private object RowKeyTester {

  // The first rows of a task, by which it is decided whether to go on.
  private val Watched = 20000

  // A share of these rows. A test takes about a tenth of the time that a row costs in a shuffle or another join.
  private val MostPassing = 0.9
}
