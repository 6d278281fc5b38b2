package io.adaptivespark.shim

import org.apache.spark.sql.execution.SparkPlan

private[adaptivespark] object StreamShim {

  /** True of a scan of a stream. Until Spark 3.5 only the logical plan of a scan says so. */
  def isStream(scan: SparkPlan): Boolean = scan.children.isEmpty && scan.logicalLink.exists(_.isStreaming)
}
