package io.adaptivespark

import org.apache.spark.sql.{Encoder, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.runtime.{MemoryStream, StreamingQueryWrapper}
import org.apache.spark.sql.streaming.StreamingQuery

/** Streams of tests. Spark 4.1 moved them to this package, and makes them of a session. */
object StreamShim {
  def inMemory[A](session: SparkSession, encoder: Encoder[A]): MemoryStream[A] =
    MemoryStream[A](encoder, session)

  /** The plan of the latest micro-batch. */
  def lastPlan(query: StreamingQuery): SparkPlan =
    query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution.executedPlan
}
