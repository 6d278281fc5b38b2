package io.adaptivespark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, SparkSessionExtensionsProvider}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import io.adaptivespark.filter.{FilterBatches, ReplaceFilter}
import io.adaptivespark.hint.{KeepColumnNames, KeepFilterHints, ResolveFilterHints}
import io.adaptivespark.join.{AwaitDynamicFilters, StartDynamicFilters}
import io.adaptivespark.stats.{
  CatalogFunction,
  KeptStatistics,
  LastModified,
  NotePlannedJoins,
  QueryListener,
  RecordPlans,
  RunStats,
  SampleStatistics,
  StatsFunctions
}

/** The entry point: `spark.sql.extensions=io.adaptivespark.AdaptiveSparkExtensions`.
  *
  * On a Spark line that the jar was not built for, nothing is injected but the version function, which then says so.
  */
class AdaptiveSparkExtensions extends SparkSessionExtensionsProvider {

  override def apply(extensions: SparkSessionExtensions): Unit =
    if (AdaptiveSparkExtensions.seen.add(extensions)) inject(extensions)

  private def inject(extensions: SparkSessionExtensions): Unit = {
    // Analysis
    extensions.injectFunction(scalar("adaptive_spark_version", _ => Literal(activeVersion())))
    if (Build.mismatch().isEmpty) {
      AdaptiveSparkConf.register()
      extensions.injectTableFunction(table("adaptive_filter_stats", _ => StatsFunctions.filterStats()))
      extensions.injectTableFunction(table("dynamic_filter_stats", _ => StatsFunctions.dynamicFilterStats()))
      extensions.injectTableFunction(table(
        "adaptive_query_stats",
        _ => StatsFunctions.queryStats(SparkSession.active)
      ))
      extensions.injectTableFunction(table("adaptive_plan_stats", _ => StatsFunctions.planStats()))
      extensions.injectTableFunction(table("adaptive_run_stats", RunStats(SparkSession.active, _)))
      extensions.injectTableFunction(table("adaptive_catalog", CatalogFunction(SparkSession.active, _)))
      extensions.injectTableFunction(table("adaptive_last_modified", LastModified(SparkSession.active, _)))
      extensions.injectTableFunction(table(
        "adaptive_keep_statistics",
        KeptStatistics.keep(SparkSession.active, _)
      ))
      extensions.injectTableFunction(table(
        "adaptive_restore_statistics",
        KeptStatistics.restore(SparkSession.active, _)
      ))
      // Hints: names of columns before Spark resolves them, the hints themselves once their SELECT is resolved
      extensions.injectHintResolutionRule(_ => KeepColumnNames)
      extensions.injectResolutionRule(_ => ResolveFilterHints)
      // Commands: once Spark knows that the table is one of its own catalog
      extensions.injectPostHocResolutionRule(SampleStatistics(_))

      // Logical optimization
      extensions.injectOptimizerRule(_ => KeepFilterHints)

      // Physical planning under AQE, so that EXPLAIN shows the filters before the query runs
      extensions.injectQueryStagePrepRule(_ => NotePlannedJoins)
      extensions.injectQueryStagePrepRule(_ => AwaitDynamicFilters)
      extensions.injectQueryStagePrepRule(_ => ReplaceFilter)

      // Physical planning: the only hook that fires with and without AQE, and for plans without an exchange
      extensions.injectColumnar { session =>
        QueryListener.install(session.sparkContext)
        new ColumnarRule {
          override def postColumnarTransitions: Rule[SparkPlan] =
            plan => RecordPlans(FilterBatches(ReplaceFilter(StartDynamicFilters(plan))))
        }
      }
    }
  }

  private def activeVersion(): String = Build.mismatch() match {
    case None => Build.version
    case Some(sentence) => throw new UnsupportedOperationException(sentence)
  }

  private def scalar(name: String, builder: Seq[Expression] => Expression) =
    (FunctionIdentifier(name), describe(name), builder)

  private def table(name: String, builder: Seq[Expression] => LogicalPlan) =
    (FunctionIdentifier(name), describe(name), builder)

  private def describe(name: String) = new ExpressionInfo(getClass.getName, name)
}

private object AdaptiveSparkExtensions {
  // The configuration and the service provider may both name the extension: Spark then applies it twice to the same object.
  private val seen = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap[
    SparkSessionExtensions,
    java.lang.Boolean
  ]))
}
