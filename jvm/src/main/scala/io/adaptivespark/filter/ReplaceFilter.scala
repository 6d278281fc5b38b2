package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{
  ColumnarToRowExec,
  FilterExec,
  LeafExecNode,
  SparkPlan,
  WholeStageCodegenExec
}
import org.apache.spark.sql.execution.adaptivespark.Redaction

import io.adaptivespark.AdaptiveSparkConf
import io.adaptivespark.hint.{FilterHint, FilterHints}
import io.adaptivespark.stats.WrittenSql

/** Puts an adaptive filter where Spark planned a filter that has an order to choose. */
object ReplaceFilter extends Rule[SparkPlan] {

  // Not transformWithPruning: physical plans have no tree patterns.
  override def apply(plan: SparkPlan): SparkPlan = {
    val enabled = AdaptiveSparkConf.Enabled.in(conf)
    val wanted = plan.exists {
      case filter: FilterExec => FilterHints.anyEnabled(filter.condition, enabled)
      case _ => false
    }
    if (!wanted) plan
    else {
      AdaptiveSparkConf.refuseUnknownKeys(conf)
      if (FilterShim.refusesOtherOperators(plan)) plan
      else plan.transformUp { case filter: FilterExec => replace(filter, enabled) }
    }
  }

  private def replace(filter: FilterExec, enabled: Boolean): SparkPlan =
    FilterHints.parts(filter.condition, enabled) match {
      case Seq(part) => replace(filter, part.hint, enabled)
      case parts => parts.foldLeft(filter.child) { (child, part) =>
          val one = FilterExec(part.condition, child)
          one.copyTagsFrom(filter)
          replace(one, part.hint, enabled)
        }
    }

  private def replace(filter: FilterExec, hint: FilterHint, enabled: Boolean): SparkPlan = {
    lazy val settings = hint.settings(conf)
    if (hint.isEnabled(enabled) && mayReplace(filter, settings))
      AdaptiveFilterExec(filter.condition, settings, filter.child)
    else filter
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
        logInfo(
          s"Left to Spark, since it uses columns that are computed below it: ${Redaction(WrittenSql(filter.condition, filter.child))}"
        )
      read
    }
}

/** Gives adaptive filters right above a scan of column batches their columnar form, in place of the step from batches to rows that Spark put between them. */
object FilterBatches extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (!plan.exists(_.isInstanceOf[AdaptiveFilterExec])) plan
    else plan.transformUp { case filter: AdaptiveFilterExec =>
      scanOf(filter.child).filter(mayGenerate(filter.condition, _)).fold[SparkPlan](filter)(
        AdaptiveColumnarFilterExec(filter.condition, filter.settings, _)
      )
    }

  // Spark reads a cached table by rows below a filter, though it has batches too.
  private def scanOf(child: SparkPlan): Option[SparkPlan] = child match {
    case ColumnarToRowExec(scan) if isScan(scan) => Some(scan)
    case scan if isScan(scan) && scan.supportsColumnar => Some(scan)
    case _ => None
  }

  private def isScan(plan: SparkPlan): Boolean = plan.isInstanceOf[LeafExecNode] ||
    plan.isInstanceOf[ScanLike]

  // Where Spark will not generate code, the form over rows is the cheaper one.
  private def mayGenerate(condition: Expression, scan: SparkPlan): Boolean =
    condition.deterministic && conf.wholeStageEnabled &&
      !WholeStageCodegenExec.isTooManyFields(conf, scan.schema) &&
      !condition.exists(_.isInstanceOf[CodegenFallback])
}
