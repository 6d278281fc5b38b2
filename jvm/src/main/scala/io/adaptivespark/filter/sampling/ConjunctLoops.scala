package io.adaptivespark.filter.sampling

import org.apache.spark.sql.vectorized.ColumnarBatch

/** Generated code of a columnar filter: for each conjunct, a tight loop over the rows of a batch. */
trait ConjunctLoops {

  /** Makes `batch` the one that rows are read from. */
  def open(batch: ColumnarBatch): Unit

  /** Writes to `kept` those of the first `count` of `rows` for which the conjunct is true, in their order.
    *
    * @param conjunct
    *   counted through the whole filter
    * @param rows
    *   row indexes in the batch
    * @param kept
    *   may be `rows` itself
    *
    * @return
    *   the number of rows kept
    */
  def keep(conjunct: Int, rows: Array[Int], count: Int, kept: Array[Int]): Int

  /** Truth of the conjunct for one row; null is false. */
  def test(conjunct: Int, row: Int): Boolean
}
