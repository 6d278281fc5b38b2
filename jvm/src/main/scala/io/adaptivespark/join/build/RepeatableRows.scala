package io.adaptivespark.join.build

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.python.MapInBatchExec

import io.adaptivespark.scan.{DeltaMerge, ScanKind, StandIn}

/** True of a plan that gives the same rows each time it is computed.
  *
  * Functions on objects, RDDs, and what other programs make of rows, may give any.
  */
private[adaptivespark] object RepeatableRows {
  def apply(plan: SparkPlan): Boolean = plan match {
    case _: BaseLimitExec | _: TakeOrderedAndProjectExec | _: SampleExec => false
    case _: ObjectConsumerExec | _: ObjectProducerExec | _: BaseScriptTransformationExec | _: MapInBatchExec =>
      false
    case rows: RDDScanExec => rows.rdd.isCheckpointed
    case StandIn(plan) => apply(plan)
    case adaptive: AdaptiveSparkPlanExec => apply(adaptive.initialPlan)
    case other => ScanKind.of(other).madeBy.fold(
        other.expressions.forall(DeltaMerge.withoutCounters(_).deterministic) && other.children.forall(apply)
      )(apply)
  }
}
