package io.adaptivespark.filter.run

import org.apache.spark.sql.vectorized.ColumnarBatch

/** Batches, each closed as the next one is asked for: a task would hold all of them to its end. */
final class ClosedInTurn(batches: Iterator[ColumnarBatch]) extends Iterator[ColumnarBatch] {
  private var last: ColumnarBatch = _

  override def hasNext: Boolean = batches.hasNext

  override def next(): ColumnarBatch = {
    if (last != null) last.close()
    last = batches.next()
    last
  }
}
