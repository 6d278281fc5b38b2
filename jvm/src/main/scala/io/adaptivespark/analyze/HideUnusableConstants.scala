package io.adaptivespark.analyze

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, NamedExpression, TaggingExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

/** Hides constants that Spark's planner cannot estimate with, as [[HideUnusableStatistics]] hides statistics
  * of tables. The planner evaluates each constant of a `SELECT` and takes it for the range of its column.
  *
  * It runs once constants are folded and conditions pushed down, so that a hidden constant costs no
  * optimization.
  */
object HideUnusableConstants extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.cboEnabled) plan
    else
      plan.transform {
        case select: Project if select.projectList.exists(isUnusable) =>
          select.copy(projectList = select.projectList.map(hide))
        case select: Aggregate if select.aggregateExpressions.exists(isUnusable) =>
          select.copy(aggregateExpressions = select.aggregateExpressions.map(hide))
      }

  private def hide(column: NamedExpression): NamedExpression = column match {
    case alias: Alias if isUnusable(alias) =>
      alias.withNewChildren(Seq(HiddenConstant(alias.child))).asInstanceOf[NamedExpression]
    case other => other
  }

  // one that fails is not evaluated by an estimate either
  private def isUnusable(column: NamedExpression): Boolean = column match {
    case Alias(constant, _) if constant.foldable =>
      !Try(constant.eval()).toOption.exists(UsableStatistics.isUsable(_, constant.dataType))
    case _ => false
  }
}

/** A constant that does not say so. */
final private[adaptivespark] case class HiddenConstant(child: Expression) extends TaggingExpression {
  override def foldable: Boolean = false
  override def toString: String = child.toString
  override def sql: String = child.sql
  override protected def withNewChildInternal(newChild: Expression): HiddenConstant = copy(child = newChild)
}
