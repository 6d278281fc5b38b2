package io.adaptivespark.aqe

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.types.{BinaryType, StringType}

import io.adaptivespark.analyze.UsableStatistics

/** Tables whose statistics may mend a wrong estimate of rows: those that lack some by which Spark would have
  * estimated, and those whose own are out of date. Statistics mend nothing above a limit, a window or a
  * condition that Spark does not estimate.
  */
private[aqe] object WantedStatistics {

  /** @param isTooHigh
    *   whether more rows were estimated than there are, which a condition without an estimate explains
    */
  def apply(plan: LogicalPlan, isTooHigh: Boolean): Seq[CatalogTable] =
    if (plan.conf.cboEnabled) wanted(plan, Used(AttributeSet.empty, isBare = true), isTooHigh).getOrElse(Nil)
    else Nil

  /** @param columns
    *   those by which the plan above is estimated
    * @param isBare
    *   whether all rows of the table were expected: nothing above is estimated to drop or to add any
    */
  private final case class Used(columns: AttributeSet, isBare: Boolean) {
    def and(expressions: Seq[Expression]): Used = Used(columns ++ AttributeSet(expressions), isBare = false)
  }

  /** None where an operator's rows do not follow from statistics. */
  private def wanted(plan: LogicalPlan, used: Used, isTooHigh: Boolean): Option[Seq[CatalogTable]] =
    plan match {
      case LogicalQueryStage(_, _) => Some(Nil) // its rows are counted
      case _: Project | _: Sort | _: RepartitionOperation | _: RebalancePartitions =>
        wanted(plan.children.head, used, isTooHigh)
      case Filter(condition, child) =>
        val (estimated, others) = conjuncts(condition).partition(isEstimated)
        val deciding = estimated.filterNot(_.isInstanceOf[IsNotNull])
        if (others.nonEmpty && isTooHigh) None
        else wanted(child, if (deciding.isEmpty) used else used.and(deciding), isTooHigh)
      case aggregate: Aggregate if aggregate.groupingExpressions.forall(_.isInstanceOf[Attribute]) =>
        wanted(aggregate.child, used.and(aggregate.groupingExpressions), isTooHigh)
      case Join(left, right, _, condition, _) =>
        val below = used.and(condition.toSeq)
        for (one <- wanted(left, below, isTooHigh); other <- wanted(right, below, isTooHigh))
          yield one ++ other
      case relation: LogicalRelation =>
        Some(relation.catalogTable.filter(isAnalyzed).filter(lacks(_, relation.output, used)).toSeq)
      case relation: HiveTableRelation =>
        Some(Some(relation.tableMeta).filter(isAnalyzed).filter(lacks(_, relation.output, used)).toSeq)
      case leaf if leaf.children.isEmpty => Some(Nil)
      case _ => None
    }

  private def lacks(table: CatalogTable, output: Seq[Attribute], used: Used): Boolean =
    table.stats.filter(_.rowCount.nonEmpty).forall { known =>
      // then only rows that have changed since make the number wrong
      used.isBare || output.exists(column =>
        used.columns.contains(column) && UsableStatistics.isUsable(column.dataType) &&
          !known.colStats.get(column.name).exists(_.distinctCount.nonEmpty)
      )
    }

  // These keep statistics of their own, and Spark refuses to ANALYZE them.
  private def isAnalyzed(table: CatalogTable): Boolean =
    !table.provider.exists(name => name.equalsIgnoreCase("delta") || name.equalsIgnoreCase("hudi"))

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }

  // What Spark's FilterEstimation reads; of others it takes it that all rows pass.
  private def isEstimated(condition: Expression): Boolean = condition match {
    case And(left, right) => isEstimated(left) && isEstimated(right)
    case Or(left, right) => isEstimated(left) && isEstimated(right)
    case Not(child) => isEstimated(child)
    case IsNull(_: Attribute) | IsNotNull(_: Attribute) | InSet(_: Attribute, _) | _: Literal => true
    case In(_: Attribute, list) => list.forall(_.isInstanceOf[Literal])
    case EqualTo(left, right) => areCompared(left, right)
    case EqualNullSafe(left, right) => areCompared(left, right)
    case range: BinaryComparison => areCompared(range.left, range.right) && hasOrder(range.left)
    case _ => false
  }

  private def areCompared(left: Expression, right: Expression): Boolean =
    Seq(left, right).forall(each => each.isInstanceOf[Attribute] || each.isInstanceOf[Literal])

  private def hasOrder(column: Expression): Boolean = column.dataType match {
    case _: StringType | BinaryType => false
    case _ => true
  }
}
