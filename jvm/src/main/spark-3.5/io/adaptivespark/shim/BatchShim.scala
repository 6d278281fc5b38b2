package io.adaptivespark.shim

import scala.util.Try

import org.apache.spark.sql.vectorized.ColumnarBatch

private[adaptivespark] object BatchShim {
  private val canRelease = Try(classOf[ColumnarBatch].getMethod("closeIfFreeable")).isSuccess

  /** Closes a batch that is read once, as late releases of 3.5 do; earlier ones leave that to the scan. */
  def release(batch: ColumnarBatch): Unit = if (canRelease) batch.closeIfFreeable()
}
