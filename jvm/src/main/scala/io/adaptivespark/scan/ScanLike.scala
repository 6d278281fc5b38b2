package io.adaptivespark.scan

import org.apache.spark.sql.execution.SparkPlan

/** A node that replaces a scan and returns its rows or batches, though it is no leaf of the plan. */
trait ScanLike extends SparkPlan {

  /** The plan that returns the rows. Other children return none. */
  def child: SparkPlan
}
