package io.adaptivespark.shim

import org.apache.spark.sql.{classic, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.Analyzer
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules for a statement of which Spark has not looked up a table yet: those that it has for hints.
  *
  * Until 4.0.5, 4.1.4 and 4.2.1 a session with Hive support left out those of extensions (SPARK-59081). Its analyzer
  * then gets them once the session parses something, as it does before it looks up a table.
  */
private[adaptivespark] object EarlyRulesShim {

  def inject(extensions: SparkSessionExtensions, rules: Seq[SparkSession => Rule[LogicalPlan]]): Unit = {
    rules.foreach(extensions.injectHintResolutionRule)
    extensions.injectParser { (session, parser) =>
      new BeforeFirstParse(parser)(() =>
        complete(session.asInstanceOf[classic.SparkSession].sessionState.analyzer, rules.map(_(session)))
      )
    }
  }

  /** Gives an analyzer these rules if it has none. */
  def complete(analyzer: Analyzer, rules: => Seq[Rule[LogicalPlan]]): Unit =
    if (analyzer.hintResolutionRules.isEmpty) ofHints.set(analyzer, rules)

  // Spark asks for it with each statement.
  private lazy val ofHints = {
    val field = classOf[Analyzer].getDeclaredField("hintResolutionRules")
    field.setAccessible(true)
    field
  }
}
