package io.adaptivespark.function

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericRowWithSchema}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import io.adaptivespark.history.label.QueryLabels

/** The table functions of a node's latest queries in one answer. With a statement for each of four
  * functions, a model would wait half a second for a cold driver.
  */
object RunStats {
  private val schema = StructType.fromDDL("stats STRING")

  /** `adaptive_run_stats(query_tag, run_id, after)`: rows of the other table functions for the queries with
    * these labels and a higher id, as one JSON text, `{"queries": [{…}], "filters": […], "dynamic": […],
    * "plans": […]}`.
    */
  def apply(session: SparkSession, arguments: Seq[Expression]): LogicalPlan = arguments.map(_.eval()) match {
    case Seq(tag: UTF8String, run: UTF8String, after @ (_: Int | _: Long)) =>
      val text = json(session, tag.toString, run.toString, after.asInstanceOf[Number].longValue)
      LocalRelation.fromExternalRows(toAttributes(schema), Seq(Row(text)))
    case _ =>
      throw new IllegalArgumentException(
        "adaptive_run_stats takes a query_tag, a run_id and the id of a query"
      )
  }

  private def json(session: SparkSession, tag: String, run: String, after: Long): String = {
    def isWanted(labels: QueryLabels) = labels.queryTag == tag && labels.runId == run &&
      labels.queryId.exists(_ > after)
    val tables = StatsFunctions.ofRun(session, isWanted)
    tables.map { case (name, schema, rows) =>
      rows.map(row => new GenericRowWithSchema(row.toSeq.toArray, schema.struct).json).mkString(
        s""""$name":[""",
        ",",
        "]"
      )
    }.mkString("{", ",", "}")
  }
}
