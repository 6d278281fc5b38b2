package io.adaptivespark.join.legality

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.python.EvalPythonExec
import org.apache.spark.sql.execution.window.{WindowExec, WindowGroupLimitExec}

import io.adaptivespark.filter.safety.NeverThrows
import io.adaptivespark.join.keys.OrderPreservingCast
import io.adaptivespark.scan.{MergeMark, ScanKind}
import io.adaptivespark.shim.ShuffleShim

/** The moves that a dynamic filter may make: from one side of a join to the other, and down through operators.
  *
  * A move that is not listed is not made.
  *
  * The tables of `docs/reference/dynamic-filters.md`, row by row.
  */
private[adaptivespark] object Legality {

  final case class Sides(left: Boolean, right: Boolean)

  /** The sides of a join that may lose rows without a partner on the other side.
    *
    * A further condition of the join changes nothing: it only removes more partners.
    */
  def filterable(joinType: JoinType, nullAware: Boolean): Sides = joinType match {
    case _: InnerLike | LeftSemi => Sides(left = true, right = true)
    case LeftOuter | ExistenceJoin(_) => Sides(left = false, right = true)
    case RightOuter => Sides(left = true, right = false)
    // NOT IN: one null on the right empties the result.
    case LeftAnti => Sides(left = false, right = !nullAware)
    case _ => Sides(left = false, right = false)
  }

  /** The sides of a join that may lose rows by a condition on their own columns, where the same condition above the
    * join would remove the same rows.
    */
  private def passesInto(joinType: JoinType): Sides = joinType match {
    case _: InnerLike => Sides(left = true, right = true)
    case LeftOuter | LeftSemi | LeftAnti | ExistenceJoin(_) => Sides(left = true, right = false)
    case RightOuter => Sides(left = false, right = true)
    case _ => Sides(left = false, right = false)
  }

  /** The sides of a join that hold every value that the other side's key has in the join's output. */
  def bounds(joinType: JoinType): Sides = joinType match {
    case _: InnerLike => Sides(left = true, right = true)
    case LeftSemi => Sides(left = false, right = true)
    case _ => Sides(left = false, right = false)
  }

  /** A child of an operator, and the expression over it that has the values of a key.
    *
    * @param isPadded
    *   true where removing rows of `child` does not remove the rows of the operator's output that nobody needs, but
    *   gives them null for the columns of `child`
    */
  final case class Step(child: SparkPlan, key: Expression, isPadded: Boolean = false)

  /** True where `plan` computes anything that may throw for a row that it would not have met without a filter. */
  def mayThrow(plan: SparkPlan): Boolean = plan.expressions.flatMap(computed).exists(!NeverThrows(_))

  private def computed(expression: Expression): Seq[Expression] = expression match {
    case Alias(child, _) => Seq(child)
    case order: SortOrder => order.children
    case partitioning: Partitioning => partitioning.asInstanceOf[Expression].children.flatMap(computed)
    case other => Seq(other)
  }

  /** The children of `plan` that may lose rows by the value of `key`, where nobody needs the rows
    * of its output with that value.
    */
  def below(plan: SparkPlan, key: Expression): Seq[Step] = key match {
    case OrderPreservingCast(column) => plan match {
        case ProjectExec(list, child)
            if list.forall(each => each.deterministic || marksTarget(each, child)) =>
          defined(list, column, key).map(Step(child, _)).toSeq
        case filter: FilterExec if filter.condition.deterministic => Seq(Step(filter.child, key))
        case _: SortExec | _: CoalesceExec | _: InputAdapter | _: ColumnarToRowExec =>
          Seq(Step(plan.children.head, key))
        case shuffle: ShuffleExchangeExec if !ShuffleShim.isPipelined(shuffle) =>
          Seq(Step(shuffle.child, key))
        case join: BaseJoinExec if isByConditions(join) => belowJoin(join, column, key)
        // Whole groups, or whole partitions of a window, go.
        case aggregate: BaseAggregateExec
            if !aggregate.isStreaming &&
              aggregate.aggregateExpressions.forall(_.aggregateFunction.children.forall(_.deterministic)) =>
          grouping(aggregate, column, key).map(Step(aggregate.child, _)).toSeq
        case window: WindowExec
            if window.windowExpression.forall(_.deterministic) &&
              window.partitionSpec.exists(_.semanticEquals(column)) => Seq(Step(window.child, key))
        case limit: WindowGroupLimitExec if limit.partitionSpec.exists(_.semanticEquals(column)) =>
          Seq(Step(limit.child, key))
        case expand: ExpandExec if expand.projections.forall(_.forall(_.deterministic)) =>
          copied(expand, column).map(from => Step(expand.child, replace(key, column, from))).toSeq
        case generate: GenerateExec
            if generate.generator.deterministic && generate.child.outputSet.contains(column) =>
          Seq(Step(generate.child, key))
        case python: EvalPythonExec
            if python.udfs.forall(_.deterministic) && python.child.outputSet.contains(column) =>
          Seq(Step(python.child, key))
        case union: UnionExec =>
          val at = union.output.indexWhere(_.semanticEquals(column))
          if (at < 0) Nil
          else union.children.map(child => Step(child, replace(key, column, child.output(at))))
        case _ => Nil
      }
    case _ => Nil
  }

  /** True of what `MERGE` notes of each row of its target: the row's file, which stays the same, and a number, which
    * nobody sees. The number need only differ from those of other rows, and be the same where a task runs again.
    */
  private def marksTarget(column: NamedExpression, child: SparkPlan): Boolean =
    MergeMark.isMark(column) && child.collectLeaves().forall(ScanKind.of(_).isMergeTarget)

  // Others, as the one with the nearest row, look at all rows of a side.
  private def isByConditions(join: BaseJoinExec): Boolean = join match {
    case _: HashJoin | _: SortMergeJoinExec | _: BroadcastNestedLoopJoinExec | _: CartesianProductExec => true
    case _ => false
  }

  private def belowJoin(join: BaseJoinExec, column: Attribute, key: Expression): Seq[Step] = {
    val passes = passesInto(join.joinType)
    val partners = filterable(join.joinType, isNullAware(join))
    val pairs = join.leftKeys.zip(join.rightKeys)
    // A row that has lost its partner passes an anti join, and what an existence join finds may be asked for
    // above: many more rows than before.
    val (followed, isPadded) = join.joinType match {
      case _: InnerLike | LeftSemi => (true, false)
      case LeftOuter | RightOuter => (true, true)
      case _ => (false, false)
    }
    def into(child: SparkPlan, other: SparkPlan, pairs: Seq[(Expression, Expression)], mayToo: Boolean) =
      Step(child, key) +:
        (if (mayToo && followed) partner(pairs, column, key).map(Step(other, _, isPadded)) else Nil)
    if (passes.left && join.left.outputSet.contains(column))
      into(join.left, join.right, pairs, partners.right)
    else if (passes.right && join.right.outputSet.contains(column))
      into(join.right, join.left, pairs.map(_.swap), partners.left)
    else Nil
  }

  // Only a join key that is the column itself has its type, and so the same casts above it.
  private def partner(
      pairs: Seq[(Expression, Expression)],
      column: Attribute,
      key: Expression
  ): Seq[Expression] =
    pairs.collect { case (mine, its) if mine.semanticEquals(column) => replace(key, column, its) }

  def isNullAware(join: BaseJoinExec): Boolean = join match {
    case broadcast: BroadcastHashJoinExec => broadcast.isNullAwareAntiJoin
    case _ => false
  }

  private def grouping(aggregate: BaseAggregateExec, column: Attribute, key: Expression): Option[Expression] =
    for {
      output <- aggregate.resultExpressions.find(_.exprId == column.exprId)
      OrderPreservingCast(group) <- Some(definition(output))
      grouped <- aggregate.groupingExpressions.find(_.exprId == group.exprId)
    } yield replace(replace(key, column, definition(output)), group, definition(grouped))

  /** The expression that all copies that `expand` makes of a row have as their `column`. */
  private def copied(expand: ExpandExec, column: Attribute): Option[Expression] = {
    val at = expand.output.indexWhere(_.exprId == column.exprId)
    expand.projections.flatMap(_.lift(at)) match {
      case Seq(first, others @ _*) if others.forall(_.semanticEquals(first)) => Some(definition(first))
      case _ => None
    }
  }

  private def defined(list: Seq[NamedExpression], column: Attribute, key: Expression): Option[Expression] =
    list.find(_.exprId == column.exprId).map(named => replace(key, column, definition(named)))

  private def definition(expression: Expression): Expression = expression match {
    case Alias(child, _) => child
    case other => other
  }

  private def replace(key: Expression, column: Attribute, by: Expression): Expression =
    key.transform { case attribute: Attribute if attribute.exprId == column.exprId => by }
}
