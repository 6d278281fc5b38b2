package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical._

/** What belongs to one SELECT of an analysed plan: its clauses and the relations of its FROM, but nothing of the queries that those stand for. */
private[adaptivespark] final class SelectScope(body: LogicalPlan) {

  /** The conditions of WHERE, HAVING and ON. */
  lazy val conditions: Seq[Expression] = nodes.flatMap {
    case filter: Filter => Some(filter.condition)
    case join: Join => join.condition
    case join: LateralJoin => join.condition
    case _ => None
  }

  /** The relations of the FROM that have a name. */
  def relations: Seq[SubqueryAlias] =
    nodes.collect { case alias: SubqueryAlias if isRelation(alias) => alias }

  /** Names of the columns of the FROM. */
  def columns: Seq[String] = sources.flatMap(_.output).map(_.name).distinct

  /** What a column's name stands for in the conditions: nothing where there is none, several where several relations have one. */
  def resolve(nameParts: Seq[String], resolver: Resolver): Seq[Expression] =
    sources.flatMap(_.resolve(nameParts, resolver)).map {
      case Alias(field, _) => field
      case column => column
    }.distinctBy(_.canonicalized)

  // Besides the relations: columns of a LATERAL VIEW, what HAVING may name, and columns of a PIVOT.
  private def sources: Seq[LogicalPlan] = nodes.flatMap {
    case relation if isRelation(relation) => Some(relation)
    case generate: Generate => Some(generate)
    case Filter(_, aggregate: Aggregate) => Some(aggregate)
    case Filter(_, pivot @ Project(_, _: Aggregate)) => Some(pivot)
    case _ => None
  }

  private lazy val nodes: Seq[LogicalPlan] = nodesOf(body)

  private def nodesOf(plan: LogicalPlan): Seq[LogicalPlan] =
    plan +: (if (isRelation(plan)) Nil else plan.children.flatMap(nodesOf))

  /** An alias may also stand for a join in parentheses, whose ON is this SELECT's; a query under an alias starts with its own SELECT. */
  private def isRelation(plan: LogicalPlan): Boolean = plan match {
    case SubqueryAlias(_, _: Join) => false
    case SubqueryAlias(_, SubqueryAlias(_, _: Join)) => false
    case _: SubqueryAlias | _: View | _: Union | _: SetOperation | _: WithCTE => true
    case other => other.children.isEmpty
  }
}
