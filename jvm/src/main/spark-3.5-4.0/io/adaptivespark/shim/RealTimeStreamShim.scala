package io.adaptivespark.shim

import org.apache.spark.sql.execution.SparkPlan

private[adaptivespark] object RealTimeStreamShim {

  /** True if a plan may hold only operators of Spark's own list: never, since Spark 4.1 introduced real-time streams.
    */
  def refusesOtherOperators(plan: SparkPlan): Boolean = false
}
