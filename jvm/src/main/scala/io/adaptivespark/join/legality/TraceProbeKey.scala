package io.adaptivespark.join.legality

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.execution.{FilterExec, SparkPlan, UnionExec}
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.sql.execution.window.WindowGroupLimitExec

import io.adaptivespark.filter.safety.NeverThrows
import io.adaptivespark.join.keys.OrderPreservingCast
import io.adaptivespark.join.scan.ProbeColumn
import io.adaptivespark.scan.ScanKind

/** Follows a join key down to the scans that its values come from. */
private[adaptivespark] object TraceProbeKey {

  /** @param keys
    *   all keys of the join, of which `key` is one
    */
  def apply(plan: SparkPlan, key: Expression, keys: Seq[Expression]): Seq[ProbeColumn] =
    down(plan, key, Vector.empty, mayThrow = !keys.forall(NeverThrows(_)))

  // Rows that are not needed may come out of a join with nulls only where nothing above can fail on these, or let
  // more rows pass because of them.
  private def down(
      plan: SparkPlan,
      key: Expression,
      above: Vector[SparkPlan],
      mayThrow: Boolean
  ): Seq[ProbeColumn] =
    if (ScanKind.of(plan).isPlain) key match {
      case OrderPreservingCast(_) => Seq(ProbeColumn(plan, key, above))
      case _ => Nil
    }
    else Legality.below(plan, key).filterNot(step =>
      step.isPadded && (mayThrow || selects(above, step.child.outputSet))
    )
      .flatMap(step => down(step.child, step.key, above :+ plan, mayThrow || Legality.mayThrow(plan)))

  /** True where operators, from the top, choose rows by `columns`, or by anything computed from them. */
  private def selects(above: Seq[SparkPlan], columns: AttributeSet): Boolean =
    above.foldRight((columns, false)) {
      case (operator, (asked, found)) =>
        val isAsked = operator.references.exists(asked.contains)
        val computed = operator match {
          case union: UnionExec if union.children.exists(_.outputSet.exists(asked.contains)) =>
            union.outputSet
          case _ if isAsked => operator.outputSet -- operator.inputSet
          case _ => AttributeSet.empty
        }
        (asked ++ computed, found || isAsked && choosesRows(operator))
    }._2

  private def choosesRows(operator: SparkPlan): Boolean = operator match {
    case _: FilterExec | _: BaseJoinExec | _: WindowGroupLimitExec => true
    case _ => false
  }
}
