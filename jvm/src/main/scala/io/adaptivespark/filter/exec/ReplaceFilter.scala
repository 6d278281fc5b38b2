package io.adaptivespark.filter.exec

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{FilterExec, SparkPlan}
import org.apache.spark.sql.execution.adaptivespark.Redaction

import io.adaptivespark.conf.{AdaptiveSparkConf, FilterSettings}
import io.adaptivespark.filter.plan.ConjunctPlan
import io.adaptivespark.hint.{FilterHint, FilterHints}
import io.adaptivespark.history.text.WrittenSql
import io.adaptivespark.shim.{RealTimeStreamShim, SharedSubexpressionsShim}

/** Replaces Spark's filters that have an order to choose by adaptive ones. */
object ReplaceFilter extends Rule[SparkPlan] {

  // Physical plans have no tree patterns for transformWithPruning.
  override def apply(plan: SparkPlan): SparkPlan = {
    val enabled = AdaptiveSparkConf.Enabled.in(conf)
    val wanted = plan.exists {
      case filter: FilterExec => FilterHints.anyEnabled(filter.condition, enabled)
      case _ => false
    }
    if (!wanted) plan
    else {
      AdaptiveSparkConf.refuseUnknownKeys(conf)
      if (RealTimeStreamShim.refusesOtherOperators(plan)) plan
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
    lazy val settings = FilterSettings.of(conf, hint.options)
    if (hint.isEnabled(enabled) && mayReplace(filter, settings))
      AdaptiveFilterExec(filter.condition, settings, filter.child)
    else filter
  }

  private def mayReplace(filter: FilterExec, settings: FilterSettings): Boolean =
    ConjunctPlan.of(
      filter.condition,
      settings.exact,
      SharedSubexpressionsShim.sharesSubexpressions(conf),
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
