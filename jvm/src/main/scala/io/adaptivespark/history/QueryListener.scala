package io.adaptivespark.history

import scala.collection.mutable

import org.apache.spark.Success
import org.apache.spark.scheduler._
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.adaptivespark.ListenerBus

import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.schema.TableFunctions

/** What recent SQL executions wrote, added up from their tasks as they end: the last `Limit` executions that ran a job, of dbt's runs and of others. */
final private[adaptivespark] class QueryListener extends SparkListener {
  private final class Query(val labels: QueryLabels) {
    var rowsWritten = 0L
    var bytesWritten = 0L
    var wrote = false
  }

  private val queries = mutable.LinkedHashMap.empty[Long, Query]
  private val stagesOfJob = mutable.HashMap.empty[Int, Seq[Int]]
  private val queryOfStage = mutable.HashMap.empty[Int, Long]

  // By stage that writes, its partitions: a task may succeed twice, as a speculative copy or in a stage
  // that is tried again.
  private val written = mutable.HashMap.empty[Int, mutable.BitSet]

  override def onJobStart(job: SparkListenerJobStart): Unit = synchronized {
    QueryId.of(job.properties).foreach { id =>
      val query = queries.getOrElseUpdate(
        id,
        new Query(QueryLabels(
          Some(id),
          SessionUser.of(job.properties),
          property(job, AdaptiveSparkConf.QueryTag.name),
          property(job, AdaptiveSparkConf.RunId.name)
        ))
      )
      stagesOfJob.update(job.jobId, job.stageIds)
      job.stageIds.foreach(queryOfStage.update(_, id))
      val alike = queries.valuesIterator.filter(_.labels.isOfRun == query.labels.isOfRun).toSeq
      if (alike.size > QueryListener.Limit) alike.head.labels.queryId.foreach(queries.remove)
    }
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
        query.wrote = true
      }
    }
  }

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case ListenerBus.Reached(all) => all.countDown()
    case _ =>
  }

  /** One row a query, in the columns of `adaptive_query_stats()`. */
  def rows(isWanted: QueryLabels => Boolean): Seq[Row] = synchronized {
    queries.collect {
      case (id, q) if isWanted(q.labels) =>
        TableFunctions.QueryStats.row(
          "query_id" -> id,
          "query_tag" -> q.labels.queryTag,
          "run_id" -> q.labels.runId,
          "rows_written" -> Option.when(q.wrote)(q.rowsWritten),
          "bytes_written" -> Option.when(q.wrote)(q.bytesWritten)
        )
    }.toSeq
  }

  private def property(job: SparkListenerJobStart, key: String): String =
    Option(job.properties).flatMap(p => Option(p.getProperty(key))).getOrElse("")
}

private object QueryListener {
  private val Limit = 1000
}
