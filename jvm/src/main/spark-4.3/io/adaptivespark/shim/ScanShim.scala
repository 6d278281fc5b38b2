package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** Copies of scans, whose constructors differ between Spark lines. */
private[adaptivespark] object ScanShim {

  /** `scan` with further conditions on partitions and on data, counting into the metrics of
    * `scan`. 4.3 gave it another argument.
    *
    * @param relation
    *   that of `scan`, as it is to be read
    */
  def withFilters(
      scan: FileSourceScanExec,
      relation: HadoopFsRelation,
      ofPartitions: Seq[Expression],
      ofData: Seq[Expression]
  ): FileSourceScanExec =
    new FileSourceScanExec(
      relation,
      scan.stream,
      scan.output,
      scan.requiredSchema,
      scan.partitionFilters ++ ofPartitions,
      scan.optionalBucketSet,
      scan.optionalNumCoalescedBuckets,
      scan.dataFilters ++ ofData,
      scan.tableIdentifier,
      scan.disableBucketedScan,
      scan.markedForSingleTaskExecution
    ) {
      override lazy val metrics = scan.metrics
      override lazy val driverMetrics = scan.driverMetrics
    }

  /** `scan` with further conditions on its batches, counting into the metrics of `scan`. */
  def withFilters(scan: InMemoryTableScanExec, conditions: Seq[Expression]): InMemoryTableScanExec =
    new InMemoryTableScanExec(scan.attributes, scan.predicates ++ conditions, scan.relation) {
      override lazy val metrics = scan.metrics
    }

  /** `scan` with the partitions that its source plans now, read as those before, counting into the metrics of
    * `scan`. 4.2 has other arguments.
    */
  def replanned(original: BatchScanExec): BatchScanExec = {
    import original._
    new BatchScanExec(output, scan, runtimeFilters, ordering, table, keyGroupedPartitioning) {
      override lazy val metrics = original.metrics
      override lazy val readerFactory = original.readerFactory
      override def supportsColumnar: Boolean = original.supportsColumnar
    }
  }
}
