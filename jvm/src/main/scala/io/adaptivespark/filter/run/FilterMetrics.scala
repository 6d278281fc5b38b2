package io.adaptivespark.filter.run

import org.apache.spark.sql.execution.metric.SQLMetric

/** SQL metrics of the operator, shown in the Spark UI. */
final case class FilterMetrics(
    rowsIn: SQLMetric,
    rowsOut: SQLMetric,
    sampled: SQLMetric,
    reorderings: SQLMetric,
    samplingTime: SQLMetric
)
