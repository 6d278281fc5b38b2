package org.apache.spark.sql.execution.adaptivespark

import java.util.Properties
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.{SparkEnv, TaskContext, TaskContextImpl}
import org.apache.spark.rdd.RDD

/** A task in the calling thread, without a job around it; Spark keeps the means to itself. */
object OneTask {

  // Above those of jobs. Locks of blocks, and readers of DataSource V2, are known by their task's id.
  private val ids = new AtomicLong(1L << 40)

  /** Runs `body` as a task's body is run: what it has registered for the task's end has been
    * called when this returns or throws.
    */
  def apply[T](body: => T): T = {
    val context = new TaskContextImpl(0, 0, 0, ids.incrementAndGet(), 0, 1, null, new Properties, null)
    TaskContext.setTaskContext(context)
    // as whom it reads what is broadcast
    val blocks = Option(SparkEnv.get).map(_.blockManager)
    blocks.foreach(_.registerTask(context.taskAttemptId))
    try body
    catch {
      case error: Throwable =>
        context.markTaskFailed(error)
        context.markTaskCompleted(Some(error))
        throw error
    } finally {
      context.markTaskCompleted(None)
      blocks.foreach(_.releaseAllLocksForTask(context.taskAttemptId))
      TaskContext.unset()
    }
  }

  /** The rows of an RDD's only partition; within a task. */
  def rows[T](rdd: RDD[T]): Iterator[T] = {
    val Array(partition) = rdd.partitions
    rdd.iterator(partition, TaskContext.get())
  }
}
