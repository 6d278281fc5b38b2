package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.SparkContext

/** All queues of Spark's listeners, which are private to Spark. */
object ListenerQueues {

  /** Waits until every listener has heard of everything that happened so far. */
  def drain(context: SparkContext): Unit = context.listenerBus.waitUntilEmpty(60000)
}
