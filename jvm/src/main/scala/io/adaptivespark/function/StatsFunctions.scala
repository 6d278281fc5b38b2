package io.adaptivespark.function

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.execution.adaptivespark.ListenerBus

import io.adaptivespark.history.DriverMemory
import io.adaptivespark.history.label.{QueryLabels, SessionUser}
import io.adaptivespark.schema.{TableFunctions, TableSchema}

/** The table functions: what the driver remembers of the session's user, as a relation that is
  * fixed when the query is analysed.
  */
object StatsFunctions {

  /** `adaptive_filter_stats()`: one row for each conjunct of each recent filter. */
  def filterStats(session: SparkSession): LogicalPlan =
    relation(TableFunctions.FilterStats, memory(session).filters.rows(shown(session)))

  /** `dynamic_filter_stats()`: one row for each recent filter that a join put on a scan, or did not. */
  def dynamicFilterStats(session: SparkSession): LogicalPlan =
    relation(TableFunctions.DynamicFilterStats, memory(session).dynamicFilters.rows(shown(session)))

  /** `adaptive_plan_stats()`: one row for each thing in which a recent query's plan turned out otherwise than planned.
    */
  def planStats(session: SparkSession): LogicalPlan =
    relation(TableFunctions.PlanStats, memory(session).plans.rows(shown(session)))

  /** `adaptive_query_stats()`: a row for each recent SQL execution that ran a job. */
  def queryStats(session: SparkSession): LogicalPlan =
    relation(TableFunctions.QueryStats, queries(session, shown(session)))

  /** The rows of all of these for [[RunStats]], each with a name and its columns. */
  private[function] def ofRun(
      session: SparkSession,
      isWanted: QueryLabels => Boolean
  ): Seq[(String, TableSchema, Seq[Row])] = {
    val isMine = shown(session)
    def both(labels: QueryLabels) = isWanted(labels) && isMine(labels)
    Seq(
      ("queries", TableFunctions.QueryStats, queries(session, both)),
      ("filters", TableFunctions.FilterStats, memory(session).filters.rows(both)),
      ("dynamic", TableFunctions.DynamicFilterStats, memory(session).dynamicFilters.rows(both)),
      ("plans", TableFunctions.PlanStats, memory(session).plans.rows(both))
    )
  }

  private def queries(session: SparkSession, isWanted: QueryLabels => Boolean): Seq[Row] = {
    val isUpToDate = ListenerBus.await(session.sparkContext)
    memory(session).queries.rows(isWanted, isUpToDate)
  }

  private def memory(session: SparkSession): DriverMemory = DriverMemory.of(session.sparkContext)

  private def shown(session: SparkSession): QueryLabels => Boolean = {
    val user = SessionUser.current
    memory(session).isShown(_, user)
  }

  private def relation(schema: TableSchema, rows: Seq[Row]): LogicalPlan =
    LocalRelation.fromExternalRows(toAttributes(schema.struct), rows)
}
