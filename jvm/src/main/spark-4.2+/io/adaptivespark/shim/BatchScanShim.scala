package io.adaptivespark.shim

import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

private[adaptivespark] object BatchScanShim {

  /** `original` with the partitions that its source plans now, read as those before, counting into its metrics.
    *
    * Spark 4.2 keeps the keys that partitions are grouped by in the scan, not what it needs for joins of them.
    */
  def replanned(original: BatchScanExec): BatchScanExec = {
    import original._
    new BatchScanExec(output, scan, runtimeFilters, ordering, table, keyGroupedPartitioning) {
      override lazy val metrics = original.metrics
      override lazy val customMetrics = original.customMetrics
      override lazy val readerFactory = original.readerFactory
      override def supportsColumnar: Boolean = original.supportsColumnar
    }
  }
}
