package io.adaptivespark.history

import scala.collection.mutable

import org.apache.spark.Success
import org.apache.spark.scheduler._
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.SparkPlanInfo
import org.apache.spark.sql.execution.adaptivespark.ListenerBus
import org.apache.spark.sql.execution.ui.{SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart}

import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.history.bound.Footprint
import io.adaptivespark.history.label.{QueryId, QueryLabels, SessionUser}
import io.adaptivespark.schema.TableFunctions

/** What recent SQL executions wrote, added up from their tasks as they end: the last `Limit` executions that ran a job
  * and whose labels fit into `MostBytes`, of dbt's runs, and as many of others.
  */
final private[adaptivespark] class QueryListener(dropped: () => Long) extends SparkListener {

  /** `droppedBefore` are the events that Spark had dropped when the query began: where it has dropped more since,
    * what the query wrote is not known.
    */
  private final class Query(val labels: QueryLabels, val droppedBefore: Long, var writes: Boolean) {
    val bytes: Long = 2 * Footprint.OfObject + Footprint.of(labels)
    var rowsWritten = 0L
    var bytesWritten = 0L
  }

  private val queries = mutable.LinkedHashMap.empty[Long, Query]
  // executions with a command that writes files, even if no task finds a row to write
  private val writing = mutable.LinkedHashSet.empty[Long]
  private val stagesOfJob = mutable.HashMap.empty[Int, Seq[Int]]
  private val queryOfStage = mutable.HashMap.empty[Int, Long]

  // By stage that writes, its partitions: a task may succeed twice, as a speculative copy or in a stage
  // that is tried again.
  private val written = mutable.HashMap.empty[Int, mutable.BitSet]

  override def onJobStart(job: SparkListenerJobStart): Unit = synchronized {
    QueryId.of(job.properties).foreach { id =>
      val query = queries.getOrElseUpdate(
        id,
        new Query(
          QueryLabels(
            Some(id),
            SessionUser.of(job.properties),
            property(job, AdaptiveSparkConf.QueryTag.name),
            property(job, AdaptiveSparkConf.RunId.name)
          ),
          dropped(),
          writing.contains(id)
        )
      )
      stagesOfJob.update(job.jobId, job.stageIds)
      job.stageIds.foreach(queryOfStage.update(_, id))
      boundThoseLike(query)
    }
  }

  private def boundThoseLike(query: Query): Unit = {
    val alike = mutable.Queue(
      queries.valuesIterator.filter(_.labels.isOfRun == query.labels.isOfRun).toVector: _*
    )
    var bytes = alike.iterator.map(_.bytes).sum
    while (alike.size > QueryListener.Limit || (alike.size > 1 && bytes > QueryListener.MostBytes)) {
      val oldest = alike.dequeue()
      bytes -= oldest.bytes
      oldest.labels.queryId.foreach(forget)
    }
  }

  /** Forgets a query, and what is left of its jobs where Spark dropped the events of their ends. */
  private def forget(query: Long): Unit = {
    queries.remove(query)
    val stages = queryOfStage.collect { case (stage, `query`) => stage }.toSet
    queryOfStage --= stages
    written --= stages
    stagesOfJob --= stagesOfJob.collect { case (job, ofJob) if ofJob.exists(stages) => job }
  }

  // Cleans up with the job. Skipped stages never complete, and one that is tried again completes more than
  // once.
  override def onJobEnd(job: SparkListenerJobEnd): Unit = synchronized {
    stagesOfJob.remove(job.jobId).toSeq.flatten.foreach { stage =>
      queryOfStage.remove(stage)
      written.remove(stage)
    }
  }

  override def onTaskEnd(task: SparkListenerTaskEnd): Unit = synchronized {
    for (
      id <- queryOfStage.get(task.stageId); query <- queries.get(id); metrics <- Option(task.taskMetrics)
      if task.reason == Success
    ) {
      val output = metrics.outputMetrics
      val wrote = output.bytesWritten > 0 || output.recordsWritten > 0
      if (
        wrote && written.getOrElseUpdate(task.stageId, mutable.BitSet.empty).add(task.taskInfo.partitionId)
      ) {
        query.rowsWritten += output.recordsWritten
        query.bytesWritten += output.bytesWritten
        query.writes = true
      }
    }
  }

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case ListenerBus.Reached(all) => all.countDown()
    case start: SparkListenerSQLExecutionStart if writesFiles(start.sparkPlanInfo) =>
      synchronized {
        writing += start.executionId
        // where Spark dropped the events of their ends
        if (writing.size > QueryListener.Limit) writing -= writing.head
      }
    case end: SparkListenerSQLExecutionEnd => synchronized(writing -= end.executionId)
    case _ =>
  }

  private def writesFiles(plan: SparkPlanInfo): Boolean =
    plan.metrics.exists(_.name == QueryListener.WrittenFiles) || plan.children.exists(writesFiles)

  /** One row a query, in the columns of `adaptive_query_stats()`.
    *
    * @param isUpToDate
    *   false if not all that has happened was told yet
    */
  def rows(isWanted: QueryLabels => Boolean, isUpToDate: Boolean): Seq[Row] = synchronized {
    def isKnown(query: Query) = isUpToDate && query.writes && dropped() == query.droppedBefore
    queries.collect {
      case (id, q) if isWanted(q.labels) =>
        TableFunctions.QueryStats.row(
          "query_id" -> id,
          "query_tag" -> q.labels.queryTag,
          "run_id" -> q.labels.runId,
          "rows_written" -> (if (isKnown(q)) Some(q.rowsWritten) else None),
          "bytes_written" -> (if (isKnown(q)) Some(q.bytesWritten) else None)
        )
    }.toVector
  }

  private def property(job: SparkListenerJobStart, key: String): String =
    Option(job.properties).flatMap(p => Option(p.getProperty(key))).getOrElse("")
}

private[history] object QueryListener {
  private[history] val Limit = 1000

  /** Bytes of the labels of dbt's runs, and of those of other queries: each may have 2,000 characters. */
  private[history] val MostBytes: Long = 2L << 20

  // Spark's name for the metric that its file writers have
  private val WrittenFiles = "number of written files"
}
