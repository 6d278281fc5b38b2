package io.adaptivespark.analyze

import scala.util.Try

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.types.{DoubleType, FloatType}

/** Hides statistics that Spark's planner cannot estimate with from a query, see [[UsableStatistics]]. The
  * catalog keeps them.
  *
  * It runs between analysis and optimization, over the whole query: rules of the optimizer's first batch
  * estimate already. What is written to is no relation of the query any more by then.
  */
object HideUnusableStatistics extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.cboEnabled && !conf.planStatsEnabled) plan
    else {
      lazy val usable = UsableStatistics(comparesWithNaN(plan))
      plan.transformWithSubqueries {
        case relation: LogicalRelation if relation.catalogTable.exists(isPlannedBy) =>
          val table = relation.catalogTable.get
          val hidden = hide(usable, relation.output, table)
          if (hidden eq table) relation else relation.copy(catalogTable = Some(hidden))
        case relation: HiveTableRelation if isPlannedBy(relation.tableMeta) =>
          val hidden = hide(usable, relation.output, relation.tableMeta)
          if (hidden eq relation.tableMeta) relation else relation.copy(tableMeta = hidden)
      }
    }

  private def isPlannedBy(table: CatalogTable): Boolean =
    table.stats.exists(found => found.rowCount.nonEmpty || found.colStats.nonEmpty)

  private def hide(usable: UsableStatistics, output: Seq[Attribute], table: CatalogTable): CatalogTable =
    table.stats.map(found => usable.of(output, found)) match {
      case Some(left) if !table.stats.exists(_ eq left) => table.copy(stats = Some(left))
      case _ => table
    }

  private def comparesWithNaN(plan: LogicalPlan): Boolean =
    plan.collectWithSubqueries { case node if node.expressions.exists(_.exists(isNaN)) => node }.nonEmpty

  // what cannot be evaluated never becomes a constant; some expressions have no type
  private def isNaN(expression: Expression): Boolean = expression.foldable && Try(expression.dataType match {
    case DoubleType | FloatType => expression.eval()
    case _ => None
  }).toOption.exists {
    case number: Double => number.isNaN
    case number: Float => number.isNaN
    case _ => false
  }
}
