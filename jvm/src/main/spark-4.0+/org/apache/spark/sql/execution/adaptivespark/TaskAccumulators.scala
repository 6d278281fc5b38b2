package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.util.AccumulatorV2

private[adaptivespark] object TaskAccumulators {

  /** Runs `body` with an accumulator as the last one of a task. */
  def within[T](metrics: TaskMetrics, last: AccumulatorV2[_, _])(body: => T): T = {
    metrics.withExternalAccums(_ += last)
    try body
    finally metrics.withExternalAccums(_ -= last)
  }
}
