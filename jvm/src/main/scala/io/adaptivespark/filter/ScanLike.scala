package io.adaptivespark.filter

import org.apache.spark.sql.execution.SparkPlan

/** What stands in the place of a scan and gives its rows or batches, though it is no leaf of the plan. */
trait ScanLike extends SparkPlan
