package io.adaptivespark.aqe

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.BaseJoinExec

/** Tags each join with the operator that was planned before anything ran. Logical nodes keep their tags
  * while adaptive execution plans again.
  */
object TagPlannedJoins extends Rule[SparkPlan] {
  private[adaptivespark] val Planned = TreeNodeTag[String]("adaptivespark.plannedJoin")

  /** Operator of a join, without what Spark adds to its name, such as `(skew=true)`. */
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
