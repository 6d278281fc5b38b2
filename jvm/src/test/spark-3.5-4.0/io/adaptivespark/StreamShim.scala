package io.adaptivespark

import org.apache.spark.sql.{Encoder, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.{MemoryStream, StreamingQueryWrapper}
import org.apache.spark.sql.streaming.StreamingQuery

import io.adaptivespark.shim.SessionShim.Local

/** Streams of tests. Spark 4.1 moved them to another package, and makes them of a session. */
object StreamShim {
  def inMemory[A](session: SparkSession, encoder: Encoder[A]): MemoryStream[A] =
    MemoryStream[A](encoder, session.asInstanceOf[Local].sqlContext)

  /** The plan of the latest micro-batch. */
  def lastPlan(query: StreamingQuery): SparkPlan =
    query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution.executedPlan
}
