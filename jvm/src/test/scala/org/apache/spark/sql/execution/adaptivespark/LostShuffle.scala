package org.apache.spark.sql.execution.adaptivespark

import java.util.Properties

import org.apache.spark.{MapOutputTrackerMaster, SparkEnv, Success, TaskContext}
import org.apache.spark.executor.{ExecutorMetrics, TaskMetrics}
import org.apache.spark.scheduler.{
  SparkListenerJobStart,
  SparkListenerTaskEnd,
  StageInfo,
  TaskInfo,
  TaskLocality
}
import org.apache.spark.shuffle.FetchFailedException

/** What a lost executor does to a query, in a local one. */
object LostShuffle {
  private def outputs = SparkEnv.get.mapOutputTracker.asInstanceOf[MapOutputTrackerMaster]
  private def newest: Int = outputs.shuffleStatuses.keys.max

  /** Loses all that the tasks of the newest shuffle wrote. */
  def lose(): Unit = outputs.unregisterAllMapAndMergeOutput(newest)

  /** Loses what all shuffles wrote. */
  def loseAll(): Unit = outputs.shuffleStatuses.keys.foreach(outputs.unregisterAllMapAndMergeOutput)

  /** In the first attempt at a stage, loses what it reads. */
  def failFirstFetch(): Unit = if (TaskContext.get().stageAttemptNumber() == 0) {
    val shuffle = newest
    lose()
    throw new FetchFailedException(null, shuffle, 0L, -1, 0, "The test has lost it.")
  }

  /** The start of a job. */
  def started(job: Int, stages: Seq[Int], properties: Properties): SparkListenerJobStart =
    SparkListenerJobStart(
      job,
      0,
      stages.map(new StageInfo(_, 0, "write", 2, Nil, Nil, "", resourceProfileId = 0)),
      properties
    )

  /** The end of a task of `partition` that has written rows. */
  def written(stage: Int, partition: Int, attempt: Int, rows: Long): SparkListenerTaskEnd = {
    val info = new TaskInfo(
      partition * 10L + attempt,
      partition,
      attempt,
      partition,
      0,
      "driver",
      "localhost",
      TaskLocality.ANY,
      attempt > 0
    )
    val metrics = new TaskMetrics
    metrics.outputMetrics.setRecordsWritten(rows)
    metrics.outputMetrics.setBytesWritten(rows * 8)
    SparkListenerTaskEnd(stage, 0, "ResultTask", Success, info, new ExecutorMetrics, metrics)
  }
}
