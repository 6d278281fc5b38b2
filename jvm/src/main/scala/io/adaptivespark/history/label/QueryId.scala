package io.adaptivespark.history.label

import java.util.Properties

import scala.util.Try

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.SQLExecution

/** Id of the SQL execution that a thread or a job belongs to, as in the Spark UI. */
private[adaptivespark] object QueryId {
  def of(context: SparkContext): Option[Long] = parse(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))

  def of(properties: Properties): Option[Long] =
    Option(properties).flatMap(p => parse(p.getProperty(SQLExecution.EXECUTION_ID_KEY)))

  private def parse(id: String): Option[Long] = Try(id.toLong).toOption
}
