package io.adaptivespark.shim

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec

private[adaptivespark] object RealTimeStreamShim {

  /** True if a plan may hold only operators of Spark's own list. Spark 4.1 introduced real-time streams,
    * with such a list.
    */
  def refusesOtherOperators(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[RealTimeStreamScanExec])
}
