package io.adaptivespark.shim

import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

private[adaptivespark] object BatchScanShim {

  /** `original` with the partitions that its source plans now, read as those before, counting into its metrics.
    *
    * Before Spark 4.2 a scan has what joins of its partitions need.
    */
  def replanned(original: BatchScanExec): BatchScanExec = {
    import original._
    new BatchScanExec(output, scan, runtimeFilters, ordering, table, spjParams) {
      override lazy val metrics = original.metrics
      override lazy val customMetrics = original.customMetrics
      override lazy val readerFactory = original.readerFactory
      override def supportsColumnar: Boolean = original.supportsColumnar
    }
  }
}
