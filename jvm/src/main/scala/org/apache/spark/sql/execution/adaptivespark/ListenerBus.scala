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

  /** Counts the events that Spark has dropped because our listeners lagged too far behind;
    * does not hold on to the context.
    */
  def dropped(context: SparkContext): () => Long = {
    val counter = context.listenerBus.metrics.metricRegistry.counter(s"queue.$Queue.numDroppedEvents")
    () => counter.getCount
  }

  /** Waits until our listener has heard of everything that happened so far; false if that takes too long. */
  def await(context: SparkContext): Boolean = {
    val all = new CountDownLatch(1)
    context.listenerBus.post(Reached(all))
    val isUpToDate = all.await(PatienceSeconds, TimeUnit.SECONDS)
    if (!isUpToDate)
      log.warn(
        s"The listener lags by more than $PatienceSeconds s: adaptive_query_stats() does not know what queries wrote. A larger spark.scheduler.listenerbus.eventqueue.$Queue.capacity loses no event."
      )
    isUpToDate
  }
}
