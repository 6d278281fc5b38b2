package io.adaptivespark.filter.sampling

import org.apache.spark.sql.vectorized.ColumnarBatch

/** The generated part of a columnar filter: a tight loop over a batch's rows for each conjunct. */
trait ConjunctLoops {

  /** Makes `batch` the one whose rows are meant from now on. */
  def open(batch: ColumnarBatch): Unit

  /** Writes those of the first `count` of `rows` for which the conjunct is true to `kept`, in the same order.
    *
    * @param kept
    *   may be `rows` itself
    * @return
    *   how many they are
    */
  def keep(conjunct: Int, rows: Array[Int], count: Int, kept: Array[Int]): Int

  /** Whether the conjunct is true for one row. */
  def test(conjunct: Int, row: Int): Boolean
}
