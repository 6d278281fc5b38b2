package io.adaptivespark.shim

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules for a statement of which Spark has not looked up a table yet: those that it has for hints. */
private[adaptivespark] object EarlyRulesShim {

  def inject(extensions: SparkSessionExtensions, rules: Seq[SparkSession => Rule[LogicalPlan]]): Unit =
    rules.foreach(extensions.injectHintResolutionRule)
}
