package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, JOIN}

/** Passes the hint of a conjunct on to conjuncts that the optimizer made of it, before it takes them apart.
  *
  * `s LIKE 'a%b'` becomes a conjunction of three predicates, `NOT (a OR b)` one of two: the AND inherits
  * the hint, its operands do not.
  */
object KeepFilterHints extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsAnyPattern(FILTER, JOIN)) plan.foreach {
      case filter: Filter => HintedConjunct.spread(filter.condition)
      case join: Join => join.condition.foreach(HintedConjunct.spread)
      case _ =>
    }
    plan
  }
}
