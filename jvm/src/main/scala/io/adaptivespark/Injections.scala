package io.adaptivespark

import scala.runtime.AbstractFunction1

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import io.adaptivespark.analyze.{
  HideStaleSizes,
  HideUnusableConstants,
  HideUnusableStatistics,
  SampleStatistics
}
import io.adaptivespark.aqe.{RecordPlanChanges, TagPlannedJoins}
import io.adaptivespark.conf.{AdaptiveSparkConf, Build}
import io.adaptivespark.filter.exec.{ReplaceFilter, UseColumnarFilter}
import io.adaptivespark.freshness.{ForgetStaleTables, NoteWrites, RefreshStaleFiles}
import io.adaptivespark.function.{
  CatalogFunction,
  LastModified,
  RememberPrior,
  RunStats,
  StatisticsSnapshot,
  StatsFunctions
}
import io.adaptivespark.hint.{
  ExplainHintSyntax,
  KeepColumnNames,
  KeepFilterHints,
  RefuseMisspeltHints,
  ResolveFilterHints
}
import io.adaptivespark.history.DriverMemory
import io.adaptivespark.history.label.{NoteUser, SessionUser}
import io.adaptivespark.join.rule.{AwaitDynamicFilters, StartDynamicFilters}
import io.adaptivespark.shim.EarlyRulesShim

/** Injects the extension's rules, functions and listeners into Spark, in pipeline order.
  * [[AdaptiveSparkExtensions]] makes it by name.
  */
final private class Injections extends AbstractFunction1[SparkSessionExtensions, Unit] {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    // Parsing
    extensions.injectParser((_, parser) => ExplainHintSyntax(parser))

    // Analysis
    extensions.injectFunction(scalar(AdaptiveSparkExtensions.VersionFunction, _ => Literal(Build.version)))
    AdaptiveSparkConf.register()
    extensions.injectTableFunction(table(
      "adaptive_filter_stats",
      _ => StatsFunctions.filterStats(SparkSession.active)
    ))
    extensions.injectTableFunction(table(
      "dynamic_filter_stats",
      _ => StatsFunctions.dynamicFilterStats(SparkSession.active)
    ))
    extensions.injectTableFunction(table(
      "adaptive_query_stats",
      _ => StatsFunctions.queryStats(SparkSession.active)
    ))
    extensions.injectTableFunction(table(
      "adaptive_plan_stats",
      _ => StatsFunctions.planStats(SparkSession.active)
    ))
    extensions.injectTableFunction(table("adaptive_run_stats", RunStats(SparkSession.active, _)))
    extensions.injectTableFunction(table("adaptive_catalog", CatalogFunction(SparkSession.active, _)))
    extensions.injectTableFunction(table("adaptive_last_modified", LastModified(_)))
    extensions.injectTableFunction(table("adaptive_keep_statistics", StatisticsSnapshot.keep))
    extensions.injectTableFunction(table("adaptive_restore_statistics", StatisticsSnapshot.restore))
    extensions.injectTableFunction(table("adaptive_remember", RememberPrior(_)))
    // Tables: before Spark looks up the first one. Names of columns in hints: before Spark resolves them
    EarlyRulesShim.inject(extensions, Seq(ForgetStaleTables(_), _ => KeepColumnNames))
    // Hints: once their SELECT is resolved
    extensions.injectResolutionRule(_ => ResolveFilterHints)
    // Commands: once Spark knows that the table is one of its own catalog
    extensions.injectPostHocResolutionRule(SampleStatistics(_))
    extensions.injectPostHocResolutionRule(NoteUser(_))
    // Files: once Spark has looked up all tables
    extensions.injectPostHocResolutionRule(RefreshStaleFiles(_))
    // Misspelt hints: once all other rules have taken theirs, before Spark drops what is left
    extensions.injectPostHocResolutionRule(_ => RefuseMisspeltHints)

    // Before optimization, whose first rules estimate already
    extensions.injectPlanNormalizationRule(_ => HideStaleSizes)
    extensions.injectPlanNormalizationRule(_ => HideUnusableStatistics)
    // Plans too, such as those of cached tables, that Spark does not analyse again
    extensions.injectPlanNormalizationRule(RefreshStaleFiles(_))

    // Logical optimization
    extensions.injectOptimizerRule(_ => KeepFilterHints)
    extensions.injectPreCBORule(_ => HideUnusableConstants)

    // Physical planning under AQE, so that EXPLAIN shows the filters before the query runs
    extensions.injectQueryStagePrepRule(_ => TagPlannedJoins)
    extensions.injectQueryStagePrepRule(_ => AwaitDynamicFilters)
    extensions.injectQueryStagePrepRule(_ => ReplaceFilter)

    // Physical planning: the only hook that fires with and without AQE, and for plans without an exchange
    extensions.injectColumnar { session =>
      // begins with the first plan, so that it hears of the first job
      DriverMemory.of(session.sparkContext)
      val noteWrites = new NoteWrites(session)
      new ColumnarRule {
        override def postColumnarTransitions: Rule[SparkPlan] = plan => {
          SessionUser.noteIfUnknown(session.sparkContext)
          RecordPlanChanges(UseColumnarFilter(ReplaceFilter(StartDynamicFilters(noteWrites(plan)))))
        }
      }
    }
  }

  private def scalar(name: String, builder: Seq[Expression] => Expression) =
    (FunctionIdentifier(name), describe(name), builder)

  private def table(name: String, builder: Seq[Expression] => LogicalPlan) =
    (FunctionIdentifier(name), describe(name), builder)

  private def describe(name: String) = new ExpressionInfo(getClass.getName, name)
}
