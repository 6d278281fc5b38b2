package io.adaptivespark.function

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.execution.adaptivespark.ListenerBus
import org.apache.spark.sql.types.StructType

import io.adaptivespark.history.{DriverMemory, QueryLabels, SessionUser}

/** The table functions: what the driver remembers of the session's user, as a relation that is fixed when the query is analysed. */
object StatsFunctions {
  private val filterSchema = StructType.fromDDL(
    """query_id BIGINT, query_tag STRING, run_id STRING, filter_id BIGINT, predicate STRING, written_position INT, final_position INT,
      |rows_monitored BIGINT, selectivity DOUBLE, cost_ns DOUBLE, reorderings BIGINT, rows_in BIGINT, rows_out BIGINT, may_throw BOOLEAN, shape STRING,
      |branch STRING""".stripMargin
  )
  private val dynamicSchema = StructType.fromDDL(
    """query_id BIGINT, query_tag STRING, run_id STRING, scan STRING, probe_key STRING, build_key STRING, build_rows BIGINT, build_keys BIGINT,
      |kind STRING, ranges INT, row_test STRING, rows_total BIGINT, rows_read BIGINT, kept DOUBLE, bytes_total BIGINT, bytes_read BIGINT,
      |row_groups BIGINT, row_groups_read BIGINT, wait_ms BIGINT, verdict STRING, verdict_code STRING,
      |verdict_figures MAP<STRING, DOUBLE>, signature STRING""".stripMargin
  )
  private val planSchema = StructType.fromDDL(
    """query_id BIGINT, query_tag STRING, run_id STRING, kind STRING, stage INT, node STRING, tables STRING, planned STRING,
      |actual STRING""".stripMargin
  )
  private val querySchema =
    StructType.fromDDL(
      "query_id BIGINT, query_tag STRING, run_id STRING, rows_written BIGINT, bytes_written BIGINT"
    )

  /** `adaptive_filter_stats()`: one row for each conjunct of each recent filter. */
  def filterStats(session: SparkSession): LogicalPlan =
    relation(filterSchema, memory(session).filters.rows(shown(session)))

  /** `dynamic_filter_stats()`: one row for each recent filter that a join put on a scan, or did not. */
  def dynamicFilterStats(session: SparkSession): LogicalPlan =
    relation(dynamicSchema, memory(session).dynamicFilters.rows(shown(session)))

  /** `adaptive_plan_stats()`: one row for each thing in which a recent query's plan turned out otherwise than planned. */
  def planStats(session: SparkSession): LogicalPlan =
    relation(planSchema, memory(session).plans.rows(shown(session)))

  /** `adaptive_query_stats()`: one row for each recent SQL execution that ran a job. */
  def queryStats(session: SparkSession): LogicalPlan =
    relation(querySchema, queries(session, shown(session)))

  /** The rows of all of these for [[RunStats]], each with a name and its columns. */
  private[function] def ofRun(
      session: SparkSession,
      isWanted: QueryLabels => Boolean
  ): Seq[(String, StructType, Seq[Row])] = {
    val isMine = shown(session)
    def both(labels: QueryLabels) = isWanted(labels) && isMine(labels)
    Seq(
      ("queries", querySchema, queries(session, both)),
      ("filters", filterSchema, memory(session).filters.rows(both)),
      ("dynamic", dynamicSchema, memory(session).dynamicFilters.rows(both)),
      ("plans", planSchema, memory(session).plans.rows(both))
    )
  }

  private def queries(session: SparkSession, isWanted: QueryLabels => Boolean): Seq[Row] = {
    ListenerBus.await(session.sparkContext)
    memory(session).queries.rows(isWanted)
  }

  private def memory(session: SparkSession): DriverMemory = DriverMemory.of(session.sparkContext)

  private def shown(session: SparkSession): QueryLabels => Boolean = {
    val user = SessionUser.current
    memory(session).isShown(_, user)
  }

  private def relation(schema: StructType, rows: Seq[Row]): LogicalPlan =
    LocalRelation.fromExternalRows(toAttributes(schema), rows)
}
