package io.adaptivespark.shim

import org.apache.spark.SparkThrowable

private[adaptivespark] object CancellationShim {

  /** True if `error` says that a job was cancelled. Since Spark 4.0 its condition does. */
  def isCancelledJob(error: SparkThrowable): Boolean = error.getCondition == "SPARK_JOB_CANCELLED"
}
