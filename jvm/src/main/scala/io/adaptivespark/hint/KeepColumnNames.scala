package io.adaptivespark.hint

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT

/** Protects the columns of `FILTER_ORDER` and the relations of `DYNAMIC_FILTER` from Spark's resolution.
  *
  * Spark would resolve them like anything above the SELECT: to an alias of its select list, to a column of
  * the outer query, to a variable.
  */
object KeepColumnNames extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsWithPruning(_.containsPattern(UNRESOLVED_HINT)) {
      case hint: UnresolvedHint if named(hint.name.toUpperCase(Locale.ROOT)) =>
        hint.copy(parameters = hint.parameters.map {
          case column: UnresolvedAttribute => ColumnName(column.nameParts)
          case other => other
        })
    }

  private val named = DynamicFilterHint.names + FilterHint.Order
}
