package io.adaptivespark.join.build

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.{FilterExec, SparkPlan}

import io.adaptivespark.filter.exec.AdaptiveFilter

/** Spark's filter operator or ours: its condition and its child. */
private[build] object AnyFilter {
  def unapply(plan: SparkPlan): Option[(Expression, SparkPlan)] = plan match {
    case filter: FilterExec => Some(filter.condition -> filter.child)
    case filter: AdaptiveFilter => Some(filter.condition -> filter.child)
    case _ => None
  }
}
