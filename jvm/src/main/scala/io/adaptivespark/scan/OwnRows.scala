package io.adaptivespark.scan

import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}

/** Rows that a query makes by itself, as by VALUES or `range`: they are no part of a table, and nothing is read. */
private[scan] class OwnRows(override val scan: SparkPlan) extends ScanKind {
  override def bytes: Long = 0
  override def isReduced: Boolean = scan.isInstanceOf[LocalTableScanExec]
}
