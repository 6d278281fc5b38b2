package io.adaptivespark.shim

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.Analyzer
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules for a statement of which Spark has not looked up a table yet.
  *
  * Before 4.0 an extension can add none: its rules come after those that look up tables. A session gets an analyzer
  * that has them once it parses something, as it does before it looks up a table.
  */
private[adaptivespark] object EarlyRulesShim {

  def inject(extensions: SparkSessionExtensions, rules: Seq[SparkSession => Rule[LogicalPlan]]): Unit =
    extensions.injectParser { (session, parser) =>
      new BeforeFirstParse(parser)(() =>
        complete(session, rules.map(_(session)))
      )
    }

  /** Gives a session's analyzer these rules. One that is not as Spark makes it stays: it may do more than this one. */
  def complete(session: SparkSession, rules: => Seq[Rule[LogicalPlan]]): Unit = {
    val analyzer = session.sessionState.analyzer
    if (analyzer.getClass.getSuperclass == classOf[Analyzer]) {
      val field = session.sessionState.getClass.getDeclaredField("analyzer")
      field.setAccessible(true)
      field.set(session.sessionState, new EarlyAnalyzer(analyzer, rules))
    }
  }

  /** `original` with rules before those for hints, as Spark has them since 4.0: common table expressions are in the
    * plan by then, and the analyzer comes to each subquery by itself.
    */
  final private class EarlyAnalyzer(original: Analyzer, early: Seq[Rule[LogicalPlan]])
      extends Analyzer(original.catalogManager) {
    override val extendedResolutionRules: Seq[Rule[LogicalPlan]] = original.extendedResolutionRules
    override val postHocResolutionRules: Seq[Rule[LogicalPlan]] = original.postHocResolutionRules
    override val extendedCheckRules: Seq[LogicalPlan => Unit] = original.extendedCheckRules

    override def batches: Seq[Batch] = {
      val (first, others) = super.batches.span(_.name != "Hints")
      (first :+ Batch("Early rules", Once, early: _*)) ++ others
    }
  }
}
