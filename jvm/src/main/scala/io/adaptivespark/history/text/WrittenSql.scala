package io.adaptivespark.history.text

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, Expression, ExprId}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import io.adaptivespark.filter.plan.MadeUpRelation

/** Expressions as SQL in the user's words. A name that Spark made up, such as `_we0` for a window function
  * within an expression, is replaced by what it names.
  */
private[adaptivespark] object WrittenSql {

  // Names made by ExtractWindowExpressions, PullOutGroupingExpressions, PullOutNondeterministic,
  // NestedColumnAliasing and RewriteWithExpression. Names with brackets are those of aggregates and other
  // expressions without an alias.
  private val MadeUp =
    """(?s)_we?\d+|_groupingexpression|_nondeterministic|_extract_.*|_common_expr_.*|.*\(.*\).*""".r

  // The input of a window function may have a made-up name, too. Bounds plans that name in a circle.
  private val Deepest = 10

  /** @param plan
    *   the plan that makes what the expressions use
    */
  def apply(expressions: Seq[Expression], plan: => SparkPlan): Seq[String] = {
    lazy val named = definitions(plan).toMap
    def resolve(expression: Expression, depth: Int): Expression = expression.transform {
      case name: AttributeReference if depth > 0 && MadeUp.pattern.matcher(name.name).matches =>
        named.get(name.exprId).fold(unqualified(name))(resolve(_, depth - 1))
      case name: AttributeReference => unqualified(name)
    }
    expressions.map(resolve(_, Deepest).sql)
  }

  private def unqualified(name: AttributeReference): Expression =
    if (MadeUpRelation.isOf(name)) name.withQualifier(Nil) else name

  def apply(expression: Expression, plan: => SparkPlan): String = apply(Seq(expression), plan).head

  private def definitions(plan: SparkPlan): Seq[(ExprId, Expression)] = {
    val within = plan match {
      case stage: QueryStageExec => definitions(stage.plan)
      case adaptive: AdaptiveSparkPlanExec => definitions(adaptive.executedPlan)
      case ReusedExchangeExec(output, exchange) =>
        output.map(_.exprId).zip(exchange.output) ++ definitions(exchange)
      case other => other.children.flatMap(definitions)
    }
    val aggregates = plan match {
      case aggregate: BaseAggregateExec =>
        aggregate.aggregateAttributes.map(_.exprId).zip(aggregate.aggregateExpressions)
      case _ => Nil
    }
    within ++ aggregates ++ plan.expressions.flatMap(_.collect { case alias: Alias =>
      alias.exprId -> alias.child
    })
  }
}
