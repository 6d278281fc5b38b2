package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

/** Scans of files. They get a stream among their arguments with Spark 4.0. */
private[adaptivespark] object FileScanShim {

  /** True if one task reads all files of a scan: never, since Spark 4.3 introduced that. */
  def isOfOneTask(scan: FileSourceScanExec): Boolean = false

  /** Files that a scan reads, as far as is known before it runs. */
  def files(scan: FileSourceScanExec): Long = scan.selectedPartitions.map(_.files.size.toLong).sum

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
      scan.output,
      scan.requiredSchema,
      scan.partitionFilters ++ ofPartitions,
      scan.optionalBucketSet,
      scan.optionalNumCoalescedBuckets,
      scan.dataFilters ++ ofData,
      scan.tableIdentifier,
      scan.disableBucketedScan
    ) {
      override lazy val metrics = scan.metrics
      override lazy val driverMetrics = scan.driverMetrics
    }
}
