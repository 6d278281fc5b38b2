package io.adaptivespark.scan

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/** A stage, or a further occurrence of an exchange: the plan that it stands for. */
private[adaptivespark] object StandIn {
  def unapply(plan: SparkPlan): Option[SparkPlan] = plan match {
    case stage: QueryStageExec => Some(stage.plan)
    case ReusedExchangeExec(_, exchange) => Some(exchange)
    case _ => None
  }
}
