package io.adaptivespark.shim

import org.apache.spark.sql.vectorized.ColumnarBatch

private[adaptivespark] object BatchShim {

  /** Closes a batch that is read once, as Spark does since 4.0. */
  def release(batch: ColumnarBatch): Unit = batch.closeIfFreeable()
}
