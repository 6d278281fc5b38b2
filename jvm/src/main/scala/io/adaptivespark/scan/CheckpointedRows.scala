package io.adaptivespark.scan

import org.apache.spark.sql.execution.{RDDScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptivespark.KeptBytes

/** Rows that a query has made and Spark's executors keep: those of `localCheckpoint`, and the source of Delta Lake's
  * `MERGE`.
  */
private[scan] class CheckpointedRows(override val scan: RDDScanExec) extends ScanKind {

  /** What memory and disk have of them; by the plan that made them, as long as Spark has not counted it. */
  override def bytes: Long = ScanKind.atMost(
    KeptBytes.of(scan).orElse(scan.logicalLink.map(_.stats.sizeInBytes)).getOrElse(ScanKind.MostBytes)
  )

  override def isReduced: Boolean = true
}

private[scan] object CheckpointedRows {
  def unapply(plan: SparkPlan): Option[CheckpointedRows] = plan match {
    case scan: RDDScanExec if scan.rdd.isCheckpointed && scan.rdd.getStorageLevel.isValid =>
      Some(new CheckpointedRows(scan))
    case _ => None
  }
}
