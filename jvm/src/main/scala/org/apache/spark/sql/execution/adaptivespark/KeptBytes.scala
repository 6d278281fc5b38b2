package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.execution.RDDScanExec

/** The size of rows that executors keep. */
object KeptBytes {

  /** In memory and on disk; none until Spark has heard of it. Spark's public method would ask all RDDs of the
    * application for their partitions.
    */
  def of(scan: RDDScanExec): Option[BigInt] =
    scan.session.sparkContext.getRDDStorageInfo(_.id == scan.rdd.id).headOption
      .map(kept => BigInt(kept.memSize) + kept.diskSize)
}
