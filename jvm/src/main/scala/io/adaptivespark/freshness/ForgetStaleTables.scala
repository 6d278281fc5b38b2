package io.adaptivespark.freshness

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import io.adaptivespark.history.DriverMemory
import io.adaptivespark.shim.SessionShim

/** Forgets what a session knows of tables that other sessions have written since its last statement. Changes no plan.
  *
  * A session keeps a table's schema, statistics and list of files from the first statement that reads it.
  * A write of its own renews them; one of another session does not, so that Spark would read the old
  * files, or none where they are gone.
  */
final private[adaptivespark] case class ForgetStaleTables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    DriverMemory.of(session.sparkContext).readers.look(session) { stale =>
      val catalog = SessionShim.catalog(session)
      if (stale.isEvery) catalog.invalidateAllCachedTables()
      else (stale.names ++ stale.described).foreach(catalog.invalidateCachedTable)
    }
    plan
  }
}
