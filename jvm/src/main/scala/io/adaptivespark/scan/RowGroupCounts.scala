package io.adaptivespark.scan

import org.apache.spark.sql.execution.metric.SQLMetric

/** Row groups that a scan was given, those of them that it read, and what of these. */
final private[adaptivespark] case class RowGroupCounts(all: SQLMetric, read: SQLMetric, bytesRead: SQLMetric)
