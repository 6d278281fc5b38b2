package io.adaptivespark.history.label

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Notes whose statement is analysed; analysis runs on the statement's own thread. Changes no plan. */
final private[adaptivespark] case class NoteUser(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    SessionUser.note(session.sparkContext)
    plan
  }
}
