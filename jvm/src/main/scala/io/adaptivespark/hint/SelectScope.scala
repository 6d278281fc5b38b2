package io.adaptivespark.hint

import scala.collection.mutable

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical._

/** Clauses and FROM relations of one SELECT in an analysed plan, without the queries that these relations
  * stand for.
  */
private[adaptivespark] final class SelectScope(body: LogicalPlan) {

  /** The conditions of WHERE, HAVING and ON. */
  lazy val conditions: Seq[Expression] = nodes.flatMap {
    case filter: Filter => Some(filter.condition)
    case join: Join => join.condition
    case join: LateralJoin => join.condition
    case _ => None
  }

  /** Named relations of the FROM. */
  def relations: Seq[SubqueryAlias] =
    nodes.collect { case alias: SubqueryAlias if isRelation(alias) => alias }

  /** Names of the columns of the FROM. */
  def columns: Seq[String] = sources.flatMap(_.output).map(_.name).distinct

  /** Expressions that a column's name stands for in the conditions: none, or one for each relation that has
    * it.
    */
  def resolve(nameParts: Seq[String], resolver: Resolver): Seq[Expression] = {
    val seen = mutable.HashSet.empty[Expression]
    sources.flatMap(_.resolve(nameParts, resolver)).map {
      case Alias(field, _) => field
      case column => column
    }.filter(column => seen.add(column.canonicalized))
  }

  // Besides relations: columns of a LATERAL VIEW, of a PIVOT, and those that HAVING may name.
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

  /** True for a relation. An alias may also stand for a join in parentheses, whose ON is this SELECT's. A
    * query under an alias begins with a SELECT of its own.
    */
  private def isRelation(plan: LogicalPlan): Boolean = plan match {
    case SubqueryAlias(_, _: Join) => false
    case SubqueryAlias(_, SubqueryAlias(_, _: Join)) => false
    case _: SubqueryAlias | _: View | _: Union | _: SetOperation | _: WithCTE => true
    case other => other.children.isEmpty
  }
}
