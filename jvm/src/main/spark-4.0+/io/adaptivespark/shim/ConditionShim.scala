package io.adaptivespark.shim

import org.apache.spark.SparkThrowable

private[adaptivespark] object ConditionShim {

  /** The name of an error, null where it has none. Spark 4.0 calls it a condition. */
  def of(error: SparkThrowable): String = error.getCondition
}
