package io.adaptivespark.function

import scala.util.Try

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.LeafRunnableCommand

import io.adaptivespark.history.DriverMemory
import io.adaptivespark.history.label.{QueryLabels, SessionUser}
import io.adaptivespark.history.memory.{Prior, Priors}

/** `adaptive_remember(query_tag, run_id, prior)`: tells the driver what earlier runs learned of the queries with
  * these labels, before they run.
  *
  * Not a conf: Spark copies a session's confs into the properties of each job, and so into the event log. A Thrift
  * server's log has the statement's text, once a node; it holds shapes of predicates, no constants.
  */
object RememberPrior {
  private val Function = "adaptive_remember"

  def apply(arguments: Seq[Expression]): LogicalPlan = TableNames(Function, arguments) match {
    case Seq(tag, run, text) if text.length <= Priors.Longest =>
      val prior = Try(Prior.parse(text)).recover { case error =>
        throw new IllegalArgumentException(
          s"$Function: the prior of $tag is not readable and ignored; filters learn anew. ${error.getMessage}"
        )
      }.get
      RememberPriorCommand(tag, run, prior, Done.output)
    case Seq(tag, _, text) =>
      throw new IllegalArgumentException(
        f"$Function: the prior of $tag has ${text.length}%,d characters, more than ${Priors.Longest}%,d. Leave out the predicates that are known least."
      )
    case _ => throw new IllegalArgumentException(s"$Function takes a query_tag, a run_id and a prior")
  }
}

final private case class RememberPriorCommand(
    queryTag: String,
    runId: String,
    prior: Prior,
    override val output: Seq[Attribute]
) extends LeafRunnableCommand {

  // Events hold the text of a plan.
  override protected def stringArgs: Iterator[Any] = Iterator(queryTag, runId)

  override def run(session: SparkSession): Seq[Row] = {
    val labels = QueryLabels(None, SessionUser.current, queryTag, runId)
    DriverMemory.of(session.sparkContext).priors.remember(labels, prior)
    Seq(Row(true))
  }
}
