package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.execution.SparkPlan

/** The session of a plan, for what is added to it while it runs: Spark's operators take the session of the thread that
  * makes them, which need not have one.
  */
object ActiveSession {
  def of[T](plan: SparkPlan)(make: => T): T = plan.session.withActive(make)
}
