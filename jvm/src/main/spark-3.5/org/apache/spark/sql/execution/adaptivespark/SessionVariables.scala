package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.SparkSession

private[adaptivespark] object SessionVariables {

  /** A session has no variables: Spark 4.0 introduced them. */
  def copy(from: SparkSession, to: SparkSession): Unit = ()
}
