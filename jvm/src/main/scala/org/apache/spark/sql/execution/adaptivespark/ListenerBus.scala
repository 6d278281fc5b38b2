package org.apache.spark.sql.execution.adaptivespark

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.slf4j.LoggerFactory

/** Spark's listener bus, which is private to Spark. */
object ListenerBus {
  private val log = LoggerFactory.getLogger(getClass)
  private val PatienceSeconds = 5L
  private val Queue = "adaptiveSpark"

  /** Comes to our listener after all that happened before: it counts down. */
  final case class Reached(all: CountDownLatch) extends SparkListenerEvent {
    override protected[spark] def logEvent: Boolean = false
  }

  /** Adds a listener that others do not keep waiting: in the common queue a slow one does. */
  def add(context: SparkContext, listener: SparkListener): Unit =
    context.listenerBus.addToQueue(listener, Queue)

  /** Waits until our listener has heard of everything that happened so far. */
  def await(context: SparkContext): Unit = {
    val all = new CountDownLatch(1)
    context.listenerBus.post(Reached(all))
    if (!all.await(PatienceSeconds, TimeUnit.SECONDS))
      log.warn(
        s"The listener lags by more than $PatienceSeconds s: adaptive_query_stats() may miss the last tasks. A larger spark.scheduler.listenerbus.eventqueue.$Queue.capacity loses none."
      )
  }
}
