package io.adaptivespark.join.build

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.BaseJoinExec

import io.adaptivespark.join.legality.Legality

/** Build sides within another that hold every value of one of its keys, and perhaps more: the partners in joins
  * that let no other value through.
  *
  * A filter by one of them keeps all rows that the join needs. It may be had sooner than the whole side, whose
  * other joins need not run first.
  */
private[adaptivespark] object BoundingSides {

  /** Each with the number of its key that bounds the `key`-th key of `source`. */
  def apply(source: BuildSide, key: Int): Seq[(BuildSide, Int)] = bounding(source.exchange, source.keys(key))

  // Only a key of the join that is the key itself, without a cast, has its type.
  @tailrec private def bounding(
      plan: SparkPlan,
      key: Expression,
      found: Seq[(BuildSide, Int)] = Nil
  ): Seq[(BuildSide, Int)] = {
    val here = found ++ partners(plan, key)
    KeyOrigin.below(plan, key) match {
      // a join's partner comes second
      case step +: others if others.isEmpty || plan.isInstanceOf[BaseJoinExec] =>
        bounding(step.child, step.key, here)
      case _ => here
    }
  }

  private def partners(plan: SparkPlan, key: Expression): Seq[(BuildSide, Int)] = plan match {
    case join: BaseJoinExec =>
      val (left, right) = BuildSide.of(join)
      val bounds = Legality.bounds(join.joinType)
      Seq((bounds.right, join.leftKeys, right), (bounds.left, join.rightKeys, left)).collect {
        case (true, mine, Some(source)) => mine.indices.filter(mine(_).semanticEquals(key)).map(source -> _)
      }.flatten
    case _ => Nil
  }
}
