package io.adaptivespark.shim

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec

private[adaptivespark] object RealTimeStreamShim {

  /** Whether a plan may have only operators of Spark's own list. 4.1 began to run streams in real time, with such a list. */
  def refusesOtherOperators(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[RealTimeStreamScanExec])
}
