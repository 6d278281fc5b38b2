package org.apache.spark.sql.execution.adaptivespark

import java.util.concurrent.TimeoutException

import org.apache.spark.SparkContext
import org.slf4j.LoggerFactory

/** Spark's listener bus, which is private to Spark. */
object ListenerBus {
  private val log = LoggerFactory.getLogger(getClass)
  private val PatienceMillis = 5000L

  /** Waits until the listeners have heard of everything that happened so far. */
  def drain(context: SparkContext): Unit =
    try context.listenerBus.waitUntilEmpty(PatienceMillis)
    catch {
      case _: TimeoutException => log.warn(
          s"Spark's listeners lag by more than $PatienceMillis ms: adaptive_query_stats() may miss the last tasks."
        )
    }
}
