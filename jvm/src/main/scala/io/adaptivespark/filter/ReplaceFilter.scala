package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{FilterExec, SparkPlan}

import io.adaptivespark.AdaptiveSparkConf

/** Puts an adaptive filter where Spark planned a filter that has an order to choose. */
object ReplaceFilter extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!AdaptiveSparkConf.Enabled.in(conf) || !plan.exists(_.isInstanceOf[FilterExec])) plan
    else {
      AdaptiveSparkConf.refuseUnknownKeys(conf)
      val settings = FilterSettings.of(conf)
      plan.transformUp {
        case filter: FilterExec if hasOrder(filter, settings) =>
          AdaptiveFilterExec(filter.condition, settings, filter.child)
      }
    }

  private def hasOrder(filter: FilterExec, settings: FilterSettings): Boolean =
    ConjunctPlan.of(filter.condition, settings.exact, FilterShim.sharesSubexpressions(conf)).movable
}
