package io.adaptivespark.join.build

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.execution.{SparkPlan, WholeStageCodegenExec}
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, QueryStageExec}
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeExec, ReusedExchangeExec}

import io.adaptivespark.filter.exec.AdaptiveFilter
import io.adaptivespark.join.exec.CollectKeysExec
import io.adaptivespark.join.legality.Legality
import io.adaptivespark.join.legality.Legality.Step

/** The children of an operator that a key's values come from. */
private[build] object KeyOrigin {

  /** The steps of [[Legality.below]], and on through query stages, exchanges and filters that are already there:
    * nothing is placed below a build side, so these need not allow it.
    */
  def below(plan: SparkPlan, key: Expression): Seq[Step] = plan match {
    case stage: QueryStageExec => Seq(Step(stage.plan, key))
    case ReusedExchangeExec(output, exchange) =>
      val replaced = output.zip(exchange.output).map { case (mine, its) => mine.exprId -> its }.toMap
      Seq(Step(
        exchange,
        key.transform { case column: Attribute => replaced.getOrElse(column.exprId, column) }
      ))
    case _: BroadcastExchangeExec | _: WholeStageCodegenExec | _: AQEShuffleReadExec | _: CollectKeysExec |
        _: AdaptiveFilter => Seq(Step(plan.children.head, key))
    case _ => Legality.below(plan, key)
  }
}
