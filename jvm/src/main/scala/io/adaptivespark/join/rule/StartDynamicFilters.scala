package io.adaptivespark.join.rule

import org.apache.spark.sql.execution.{ColumnarToRowExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.Exchange

import io.adaptivespark.join.build.BuildSide
import io.adaptivespark.join.exec.DynamicFilterExec

/** Places filters where there is no adaptive execution.
  *
  * Under it each exchange has become a stage by now: nothing is placed, and the filters that are there are started.
  */
object StartDynamicFilters extends PlaceDynamicFilters(started = true) {
  override protected def mayRead(source: BuildSide): Boolean = source.exchange.isInstanceOf[Exchange]

  override def apply(plan: SparkPlan): SparkPlan = super.apply(plan.transformUp {
    case filter @ DynamicFilterExec(toRow @ ColumnarToRowExec(scan), _, _, _, _, _, _, false) =>
      toRow.withNewChildren(Seq(filter.copy(child = scan, started = true)))
    case filter: DynamicFilterExec if !filter.started => filter.copy(started = true)
  })
}
