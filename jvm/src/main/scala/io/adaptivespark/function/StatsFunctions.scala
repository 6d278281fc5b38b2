package io.adaptivespark.function

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.execution.adaptivespark.ListenerBus

import io.adaptivespark.history.{DynamicFilterHistory, FilterHistory, PlanHistory, QueryLabels, QueryListener}
import io.adaptivespark.schema.{TableFunctions, TableSchema}

/** The table functions of what the driver remembers. Their rows are fixed when a query is analysed. */
object StatsFunctions {

  /** `adaptive_filter_stats()`: a row for each conjunct of each recent filter. */
  def filterStats(): LogicalPlan =
    relation(TableFunctions.FilterStats, FilterHistory.rows())

  /** `dynamic_filter_stats()`: a row for each recent filter of a scan by a join, and for each refusal. */
  def dynamicFilterStats(): LogicalPlan =
    relation(TableFunctions.DynamicFilterStats, DynamicFilterHistory.rows())

  /** `adaptive_plan_stats()`: a row for each change that adaptive execution made to a recent query. */
  def planStats(): LogicalPlan =
    relation(TableFunctions.PlanStats, PlanHistory.rows())

  /** `adaptive_query_stats()`: a row for each recent SQL execution that ran a job. */
  def queryStats(session: SparkSession): LogicalPlan =
    relation(TableFunctions.QueryStats, queries(session, _ => true))

  private[adaptivespark] def queries(session: SparkSession, isWanted: QueryLabels => Boolean): Seq[Row] =
    QueryListener.of(session.sparkContext).toSeq.flatMap { listener =>
      ListenerBus.await(session.sparkContext)
      listener.rows(isWanted)
    }

  private def relation(schema: TableSchema, rows: Seq[Row]): LogicalPlan =
    LocalRelation.fromExternalRows(toAttributes(schema.struct), rows)
}
