package io.adaptivespark.join.build

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, IsNotNull, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.{ExistenceJoin, FullOuter, LeftOuter, RightOuter}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.joins.BaseJoinExec

import io.adaptivespark.join.scan.ProbeColumn
import io.adaptivespark.scan.{ScanKind, StandIn}

/** Tells whether a build side holds fewer values of a key than the tables that it reads.
  *
  * If not, a filter by its keys would leave out next to nothing.
  *
  * The source of a `MERGE` is taken to: it holds what changed.
  *
  * A condition on the key alone that the filtered scan is under too does not count: it
  * has left out the same rows there.
  */
private[adaptivespark] object ReducedKeys extends PredicateHelper {

  def apply(source: BuildSide, key: Int, column: ProbeColumn): Boolean =
    column.kind.needsMatches || reduced(source.exchange, Some(source.keys(key)), conditions(column))

  // with the key replaced, so that those of two keys can be compared
  private def conditions(column: ProbeColumn): Seq[Expression] = column.between.flatMap {
    case AnyFilter(condition, _) => splitConjunctivePredicates(condition)
    case _ => Nil
  }.map(ofKey(_, column.key)).filter(_.references.isEmpty)

  private def ofKey(condition: Expression, key: Expression): Expression = condition.transform {
    case part if part.semanticEquals(key) => BoundReference(0, key.dataType, nullable = true)
  }.canonicalized

  /** @param key
    *   over the output of `plan`; none where its values are not followed this far
    */
  private def reduced(plan: SparkPlan, key: Option[Expression], known: Seq[Expression]): Boolean = {
    val steps = key.toSeq.flatMap(KeyOrigin.below(plan, _))
    def in(child: SparkPlan) = reduced(child, steps.find(_.child eq child).map(_.key), known)
    def selects(condition: Expression) = splitConjunctivePredicates(condition).exists {
      case _: IsNotNull => false
      case other => !key.exists(key => known.contains(ofKey(other, key)))
    }
    plan match {
      case AnyFilter(condition, child) => selects(condition) || in(child)
      case _: BaseLimitExec | _: TakeOrderedAndProjectExec | _: SampleExec => true
      case StandIn(plan) => in(plan)
      case join: BaseJoinExec => join.joinType match {
          case LeftOuter | ExistenceJoin(_) => in(join.left)
          case RightOuter => in(join.right)
          case FullOuter => false
          case _ => in(join.left) || in(join.right)
        }
      case other => ScanKind.of(other).isReduced || other.children.exists(in)
    }
  }
}
