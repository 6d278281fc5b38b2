package io.adaptivespark.history

import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.adaptivespark.ListenerBus

import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.history.memory.{FilterMemory, KeptStatistics, Priors, PruningMemory}
import io.adaptivespark.history.write.{Readers, Writes}

/** What the driver of one application remembers of its queries; it ends with the application.
  *
  * Rows are shown to the user whose query they are of, and what was learned serves that user alone: a hash of a
  * predicate's constants would tell another user that somebody has asked for them. An administrator may open both
  * (`spark.sql.adaptiveMemory.shareAcrossUsers`).
  */
final class DriverMemory private (dropped: () => Long, sharesAcrossUsers: Boolean) {
  private[adaptivespark] val filters = new FilterHistory
  private[adaptivespark] val dynamicFilters = new DynamicFilterHistory
  private[adaptivespark] val plans = new PlanHistory
  private[adaptivespark] val queries = new QueryListener(dropped)
  private[adaptivespark] val filterMemory = new FilterMemory
  private[adaptivespark] val pruningMemory = new PruningMemory
  private[adaptivespark] val priors = new Priors
  private[adaptivespark] val keptStatistics = new KeptStatistics
  private[adaptivespark] val writes = new Writes(SQLExecution.getQueryExecution(_) != null)
  private[adaptivespark] val readers = new Readers(writes)
  private val id = UUID.randomUUID.toString
  private val filterIds = new AtomicLong

  /** The number of a filter's execution, from 1. */
  private[adaptivespark] def nextFilterId(): Long = filterIds.incrementAndGet()

  /** A filter's execution among those of all drivers that a JVM runs tasks of, one after another. */
  private[adaptivespark] def keyOf(filterId: Long): String = s"$id/$filterId"

  /** Whether `user` may see the entries of a query. */
  private[adaptivespark] def isShown(labels: QueryLabels, user: String): Boolean =
    sharesAcrossUsers || labels.user == user

  /** Whose queries `user` learns from: a name that all of them have in common. */
  private[adaptivespark] def learners(user: String): String =
    if (sharesAcrossUsers) "" else user

  /** Lets filters and joins learn anew, as if no query had run before. What is shown of earlier queries stays. */
  def forget(): Unit = {
    filterMemory.clear()
    pruningMemory.clear()
    priors.clear()
  }
}

object DriverMemory {
  // A program may stop a context and start another one; it has one at a time, save in Spark's own tests.
  private val ofRunning = mutable.WeakHashMap.empty[SparkContext, DriverMemory]

  /** The memory of a context's application, which begins with the first call; one that nobody fills
    * where the context has stopped.
    */
  def of(context: SparkContext): DriverMemory = synchronized {
    ofRunning.getOrElse(
      context, {
        val memory = new DriverMemory(
          ListenerBus.dropped(context),
          AdaptiveSparkConf.sharesAcrossUsers(context.getConf)
        )
        if (!context.isStopped) {
          ofRunning.update(context, memory)
          ListenerBus.add(context, memory.queries)
          ListenerBus.add(context, new End(context))
        }
        memory
      }
    )
  }

  /** Ends the memory with its application, whoever still holds the context. */
  final private class End(context: SparkContext) extends SparkListener {
    override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit =
      DriverMemory.synchronized(ofRunning.remove(context))
  }
}
