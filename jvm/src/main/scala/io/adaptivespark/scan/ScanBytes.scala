package io.adaptivespark.scan

import org.apache.spark.sql.execution.SparkPlan

/** The bytes that the scans of a plan would read if nothing were skipped. */
private[adaptivespark] object ScanBytes {
  def apply(plan: SparkPlan): Long = plan match {
    case StandIn(plan) => apply(plan)
    case leaf if leaf.children.isEmpty => ScanKind.of(leaf).bytes
    case other => other.children.map(apply).sum
  }
}
