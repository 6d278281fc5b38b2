package io.adaptivespark.join.build

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{
  AQEShuffleReadExec,
  BroadcastQueryStageExec,
  QueryStageExec,
  ShuffleQueryStageExec
}
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.execution.joins._

import io.adaptivespark.scan.{ScanKind, StandIn}
import io.adaptivespark.shim.{ShuffleShim, StreamShim}

/** One side of a join whose keys can be read: an exchange, or the query stage of one.
  *
  * @param exchange
  *   the very node that the join reads, so that its rows are computed once for the join and for the filter; or one
  *   below operators that the join reads, which holds each of its keys, and perhaps more
  * @param keys
  *   all keys of the join on this side, over the output of `exchange`
  * @param reader
  *   the highest of these operators, or else `exchange`
  */
final private[adaptivespark] case class BuildSide(
    exchange: SparkPlan,
    keys: Seq[Expression],
    reader: SparkPlan
) {

  def isFinished: Boolean = exchange match {
    case stage: QueryStageExec => stage.isMaterialized
    case _ => false
  }

  def isBroadcast: Boolean = exchange match {
    case _: BroadcastExchangeExec | _: BroadcastQueryStageExec => true
    case _ => false
  }

  /** True where Spark computes this node and a second occurrence of it once. */
  def isReused: Boolean = exchange.collectLeaves().forall(ScanKind.of(_).isReused)

  /** True where a cached table below is not materialized yet: each occurrence would begin to compute it. */
  def isCaching: Boolean = exists(exchange)(ScanKind.of(_).isCaching)

  /** True where a stream is read below: its progress would count the rows of both occurrences. */
  def isStream: Boolean = exists(exchange)(StreamShim.isStream)

  /** True where a part that is computed once more, after an executor was lost, gives the same rows.
    *
    * A broadcast stays on the driver.
    */
  def isRepeatable: Boolean = isBroadcast || RepeatableRows(exchange)

  // also of operators within stages
  private def exists(plan: SparkPlan)(isIt: SparkPlan => Boolean): Boolean = plan.exists {
    case StandIn(plan) => exists(plan)(isIt)
    case operator => isIt(operator)
  }
}

private[adaptivespark] object BuildSide {

  /** The left and the right side of `join`, each where its keys can be read. */
  def of(join: BaseJoinExec): (Option[BuildSide], Option[BuildSide]) = join match {
    case broadcast: BroadcastHashJoinExec => broadcast.buildSide match {
        case BuildLeft => (source(join.left, join.leftKeys), None)
        case BuildRight => (None, source(join.right, join.rightKeys))
      }
    case _: SortMergeJoinExec | _: ShuffledHashJoinExec =>
      (source(join.left, join.leftKeys), source(join.right, join.rightKeys))
    case _ => (None, None)
  }

  private def source(side: SparkPlan, keys: Seq[Expression]): Option[BuildSide] = side match {
    case _: SortExec | _: InputAdapter | _: WholeStageCodegenExec | _: AQEShuffleReadExec =>
      source(side.children.head, keys)
    case shuffle: ShuffleExchangeExec if !ShuffleShim.isPipelined(shuffle) => read(shuffle, keys)
    case _: BroadcastExchangeExec | _: BroadcastQueryStageExec => read(side, keys)
    case stage: ShuffleQueryStageExec if stage.shuffle.isInstanceOf[ShuffleExchangeExec] => read(stage, keys)
    case operator: UnaryExecNode =>
      // what a join needs as sorted and dealt out as it is has no exchange above it
      val steps = keys.map(KeyOrigin.below(operator, _))
      if (steps.forall(_.size == 1))
        source(operator.child, steps.map(_.head.key)).map(_.copy(reader = operator))
      else None
    case _ => None
  }

  private def read(exchange: SparkPlan, keys: Seq[Expression]) = Some(BuildSide(exchange, keys, exchange))
}
