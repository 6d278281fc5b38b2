package io.adaptivespark.function

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.execution.adaptivespark.ListenerBus
import org.apache.spark.sql.types.StructType

import io.adaptivespark.history.{DynamicFilterHistory, FilterHistory, PlanHistory, QueryLabels, QueryListener}

/** The table functions: what the driver remembers, as a relation that is fixed when the query is analysed. */
object StatsFunctions {
  private[adaptivespark] val filterSchema = StructType.fromDDL(
    """query_id BIGINT, query_tag STRING, run_id STRING, filter_id BIGINT, predicate STRING, written_position INT, final_position INT,
      |rows_monitored BIGINT, selectivity DOUBLE, cost_ns DOUBLE, reorderings BIGINT, rows_in BIGINT, rows_out BIGINT, may_throw BOOLEAN, shape STRING,
      |branch STRING""".stripMargin
  )
  private[adaptivespark] val dynamicSchema = StructType.fromDDL(
    """query_id BIGINT, query_tag STRING, run_id STRING, scan STRING, probe_key STRING, build_key STRING, build_rows BIGINT, build_keys BIGINT,
      |kind STRING, ranges INT, row_test STRING, rows_total BIGINT, rows_read BIGINT, kept DOUBLE, bytes_total BIGINT, bytes_read BIGINT,
      |row_groups BIGINT, row_groups_read BIGINT, wait_ms BIGINT, verdict STRING, verdict_code STRING,
      |verdict_figures MAP<STRING, DOUBLE>, signature STRING""".stripMargin
  )
  private[adaptivespark] val planSchema = StructType.fromDDL(
    """query_id BIGINT, query_tag STRING, run_id STRING, kind STRING, stage INT, node STRING, tables STRING, planned STRING,
      |actual STRING""".stripMargin
  )
  private[adaptivespark] val querySchema =
    StructType.fromDDL(
      "query_id BIGINT, query_tag STRING, run_id STRING, rows_written BIGINT, bytes_written BIGINT"
    )

  /** `adaptive_filter_stats()`: one row for each conjunct of each recent filter. */
  def filterStats(): LogicalPlan =
    LocalRelation.fromExternalRows(toAttributes(filterSchema), FilterHistory.rows())

  /** `dynamic_filter_stats()`: one row for each recent filter that a join put on a scan, or did not. */
  def dynamicFilterStats(): LogicalPlan =
    LocalRelation.fromExternalRows(toAttributes(dynamicSchema), DynamicFilterHistory.rows())

  /** `adaptive_plan_stats()`: one row for each thing in which a recent query's plan turned out otherwise than planned. */
  def planStats(): LogicalPlan =
    LocalRelation.fromExternalRows(toAttributes(planSchema), PlanHistory.rows())

  /** `adaptive_query_stats()`: one row for each recent SQL execution that ran a job. */
  def queryStats(session: SparkSession): LogicalPlan =
    LocalRelation.fromExternalRows(toAttributes(querySchema), queries(session, _ => true))

  private[adaptivespark] def queries(session: SparkSession, isWanted: QueryLabels => Boolean): Seq[Row] =
    QueryListener.of(session.sparkContext).toSeq.flatMap { listener =>
      ListenerBus.await(session.sparkContext)
      listener.rows(isWanted)
    }
}
