package io.adaptivespark.aqe

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.BaseJoinExec

/** Notes on each join which operator was planned before anything had run. Logical nodes keep their tags while adaptive execution plans anew. */
object TagPlannedJoins extends Rule[SparkPlan] {
  private[adaptivespark] val Planned = TreeNodeTag[String]("adaptivespark.plannedJoin")

  /** Without what Spark adds to it, such as `(skew=true)`. */
  private[adaptivespark] def nameOf(join: BaseJoinExec): String = join.nodeName.takeWhile(_ != '(')

  override def apply(plan: SparkPlan): SparkPlan = {
    plan.foreach {
      case join: BaseJoinExec =>
        join.logicalLink.filter(_.getTagValue(Planned).isEmpty).foreach(_.setTagValue(Planned, nameOf(join)))
      case _ =>
    }
    plan
  }
}
