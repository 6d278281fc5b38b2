package io.adaptivespark.filter.plan

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Union}

import io.adaptivespark.shim.SessionShim.Local

/** Conditions as Spark's analyzer and optimizer leave them, which infer null guards, fold, simplify and rewrite.
  *
  * @param columns
  *   what physical plans have for the columns of `table`
  */
final class OptimizedConditions(session: Local, table: LogicalPlan, columns: Seq[Attribute]) {
  private val byName = columns.map(column => column.name -> column).toMap

  /** The conditions of `texts` but for those that do not resolve, throw already now, or are the same for each row.
    *
    * All are in one plan, since Spark's time is spent in going through its rules.
    */
  def of(texts: Seq[String]): Seq[Expression] =
    Try {
      val filters = texts.map(text => Filter(session.sessionState.sqlParser.parseExpression(text), table))
      session.sessionState.executePlan(Union(filters)).optimizedPlan.collect { case Filter(condition, _) =>
        condition.transform { case a: Attribute => byName(a.name).withNullability(a.nullable) }
      }
    } match {
      case Success(conditions) => conditions
      case Failure(_) if texts.size == 1 => Nil
      case Failure(_) =>
        val (left, right) = texts.splitAt(texts.size / 2)
        of(left) ++ of(right)
    }
}
