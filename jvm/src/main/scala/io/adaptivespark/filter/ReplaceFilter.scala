package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{FilterExec, LeafExecNode, SparkPlan, WholeStageCodegenExec}

import io.adaptivespark.AdaptiveSparkConf

/** Puts an adaptive filter where Spark planned a filter that has an order to choose. */
object ReplaceFilter extends Rule[SparkPlan] {

  // Not transformWithPruning: physical plans have no tree patterns.
  override def apply(plan: SparkPlan): SparkPlan =
    if (!AdaptiveSparkConf.Enabled.in(conf) || !plan.exists(_.isInstanceOf[FilterExec])) plan
    else {
      AdaptiveSparkConf.refuseUnknownKeys(conf)
      val settings = FilterSettings.of(conf)
      if (FilterShim.refusesOtherOperators(plan)) plan
      else plan.transformUp {
        case filter: FilterExec if mayReplace(filter, settings) =>
          AdaptiveFilterExec(filter.condition, settings, filter.child)
      }
    }

  private def mayReplace(filter: FilterExec, settings: FilterSettings): Boolean =
    ConjunctPlan.of(
      filter.condition,
      settings.exact,
      FilterShim.sharesSubexpressions(conf),
      generated = true
    ).movable && {
      val read = DeferredColumns.none(filter.condition.references, filter.child)
      if (!read && settings.verbose)
        logInfo(s"Left to Spark, since it uses columns that are computed below it: ${filter.condition}")
      read
    }
}

/** Gives adaptive filters right above a scan of column batches their columnar form, before Spark puts a step from batches to rows between them. */
object FilterBatches extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (!plan.exists(_.isInstanceOf[AdaptiveFilterExec])) plan
    else plan.transformUp {
      case AdaptiveFilterExec(condition, settings, scan: LeafExecNode)
          if scan.supportsColumnar && condition.deterministic && mayGenerate(condition, scan) =>
        AdaptiveColumnarFilterExec(condition, settings, scan)
    }

  // Where Spark will not generate code, the form over rows is the cheaper one.
  private def mayGenerate(condition: Expression, scan: SparkPlan): Boolean =
    conf.wholeStageEnabled && !WholeStageCodegenExec.isTooManyFields(conf, scan.schema) &&
      !condition.exists(_.isInstanceOf[CodegenFallback])
}
