package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT

/** Fails a query with a hint that is nearly one of ours. Spark would drop it with a line in the driver's log.
  *
  * By now Spark and other extensions have taken the hints that they know.
  */
object RefuseMisspeltHints extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsPattern(UNRESOLVED_HINT)) plan.foreach {
      case hint: UnresolvedHint =>
        HintNames.misspelling(hint.name).foreach(sentence => throw new IllegalArgumentException(sentence))
      case _ =>
    }
    plan
  }
}
