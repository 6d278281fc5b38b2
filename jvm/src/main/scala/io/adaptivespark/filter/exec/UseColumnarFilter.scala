package io.adaptivespark.filter.exec

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarToRowExec, LeafExecNode, SparkPlan, WholeStageCodegenExec}

import io.adaptivespark.scan.ScanLike

/** Gives adaptive filters above a scan of column batches their columnar form, which also replaces Spark's
  * step from batches to rows.
  */
object UseColumnarFilter extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (!plan.exists(_.isInstanceOf[AdaptiveFilterExec])) plan
    else plan.transformUp { case filter: AdaptiveFilterExec =>
      scanOf(filter.child).filter(mayGenerate(filter.condition, _)).fold[SparkPlan](filter)(
        AdaptiveColumnarFilterExec(filter.condition, filter.settings, _)
      )
    }

  // Spark reads a cached table by rows below a filter, though it has batches.
  private def scanOf(child: SparkPlan): Option[SparkPlan] = child match {
    case ColumnarToRowExec(scan) if isScan(scan) => Some(scan)
    case scan if isScan(scan) && scan.supportsColumnar => Some(scan)
    case _ => None
  }

  private def isScan(plan: SparkPlan): Boolean = plan.isInstanceOf[LeafExecNode] ||
    plan.isInstanceOf[ScanLike]

  // The form over rows is cheaper if Spark will not generate code.
  private def mayGenerate(condition: Expression, scan: SparkPlan): Boolean =
    condition.deterministic && conf.wholeStageEnabled &&
      !WholeStageCodegenExec.isTooManyFields(conf, scan.schema) &&
      !condition.exists(_.isInstanceOf[CodegenFallback])
}
