package io.adaptivespark.filter.plan

import org.apache.spark.sql.execution.SparkPlan

/** What stands in the place of a scan and gives its rows or batches, though it is no leaf of the plan. */
trait ScanLike extends SparkPlan {

  /** The plan below that gives the rows. Other children give none. */
  def child: SparkPlan
}
