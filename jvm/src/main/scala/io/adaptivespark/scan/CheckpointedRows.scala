package io.adaptivespark.scan

import org.apache.spark.sql.execution.{RDDScanExec, SparkPlan}

/** Rows that a query has made and Spark's executors keep: those of `localCheckpoint`, and the source of Delta Lake's
  * `MERGE`.
  */
private[scan] class CheckpointedRows(override val scan: RDDScanExec) extends ScanKind {

  /** What memory and disk have of them. */
  override def bytes: Long =
    scan.session.sparkContext.getRDDStorageInfo.find(_.id == scan.rdd.id)
      .fold(super.bytes)(kept => ScanKind.atMost(BigInt(kept.memSize) + kept.diskSize))

  override def isReduced: Boolean = true
}

private[scan] object CheckpointedRows {
  def unapply(plan: SparkPlan): Option[CheckpointedRows] = plan match {
    case scan: RDDScanExec if scan.rdd.isCheckpointed && scan.rdd.getStorageLevel.isValid =>
      Some(new CheckpointedRows(scan))
    case _ => None
  }
}
