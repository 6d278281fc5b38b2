package io.adaptivespark.filter.run

import org.apache.spark.sql.execution.metric.SQLMetric

/** The SQL metrics of the operator, as the Spark UI shows them. */
final case class FilterMetrics(
    rowsIn: SQLMetric,
    rowsOut: SQLMetric,
    sampled: SQLMetric,
    reorderings: SQLMetric,
    samplingTime: SQLMetric
)
