package io.adaptivespark.join.build

import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression
import org.apache.spark.sql.execution.{GenerateExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.python.EvalPythonExec
import org.apache.spark.sql.execution.window.WindowExec

import io.adaptivespark.join.exec.DynamicFilterExec
import io.adaptivespark.scan.{ScanBytes, StandIn}

/** The work that must be done before a build side's keys are there, in bytes of a plain scan. */
private[adaptivespark] object BuildWork {

  // Roughly how much longer a row takes that goes through more than filters and joins. A guess, not measured: it need
  // only part seconds from minutes.
  private val Costly = 4L

  def apply(source: BuildSide): Long = {
    val bytes = ScanBytes(source.exchange)
    if (isCostly(source.exchange)) bytes.min(Long.MaxValue / Costly) * Costly else bytes
  }

  // The answer must not change once parts of the plan are stages: adaptive execution refuses a plan with a filter
  // that was not in the one before.
  private def isCostly(exchange: SparkPlan): Boolean = exchange match {
    case StandIn(plan) => isCostly(plan)
    case _ =>
      val below = exchange.children.flatMap(operators)
      below.count(_.isInstanceOf[ShuffleExchangeExec]) > 1 || below.exists {
        case _: WindowExec | _: GenerateExec | _: EvalPythonExec => true
        case operator => operator.expressions.exists(_.exists(_.isInstanceOf[UserDefinedExpression]))
      }
  }

  private def operators(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case StandIn(plan) => operators(plan)
    case filtered: DynamicFilterExec => operators(filtered.child)
    case other => other +: other.children.flatMap(operators)
  }
}
