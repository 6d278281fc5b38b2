package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

/** Scans of files. Spark 4.3 gave them another argument: the mark of a scan that is read by one task. */
private[adaptivespark] object FileScanShim {

  /** True if one task reads all files of a scan. */
  def isOfOneTask(scan: FileSourceScanExec): Boolean = scan.markedForSingleTaskExecution

  /** Files that a scan reads, as far as is known before it runs. */
  def files(scan: FileSourceScanExec): Long = scan.selectedPartitions.totalNumberOfFiles

  /** `scan` with further conditions on partitions and on data, counting into the metrics of `scan`.
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
}
