package io.adaptivespark

import java.util.concurrent.{FutureTask, Semaphore, TimeUnit}

import scala.util.{Failure, Success, Try}

/** Queries that run in threads of their own, under a tag by which they are cancelled, as dbt's connections run them. */
trait Cancellable { this: SparkSuite =>

  /** A thread's outcome; `get` waits for it, in vain at most a minute. */
  protected final class Running[T](task: FutureTask[Try[T]], val thread: Thread) {
    def get: Try[T] = task.get(1, TimeUnit.MINUTES)
    def hasEnded: Boolean = task.isDone
  }

  /** Runs `body` in a new thread whose jobs have `tag`. */
  protected def running[T](tag: String)(body: => T): Running[T] = {
    val task = new FutureTask[Try[T]](() =>
      try {
        spark.sparkContext.addJobTag(tag)
        spark.sparkContext.setInterruptOnCancel(true)
        Success(body)
      } catch { case error: Throwable => Failure(new IllegalStateException(causes(error), error)) }
    )
    val thread = new Thread(task, tag)
    thread.setDaemon(true)
    thread.start()
    new Running(task, thread)
  }

  private def causes(error: Throwable): String =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(9).mkString("; ")

  protected def cancelJobs(tag: String): Unit = spark.sparkContext.cancelJobsWithTag(tag)

  protected def isCancelled[T](ended: Try[T]): Boolean =
    ended.failed.toOption.exists(error => Cancelled.findFirstIn(error.getMessage).nonEmpty)

  // Spark 3.5 has no condition for it.
  private val Cancelled = "SPARK_JOB_CANCELLED|Job \\d+ cancelled".r

  /** Waits for something to happen; false where it does not within a minute. */
  protected def happens(event: Semaphore): Boolean = event.tryAcquire(1, TimeUnit.MINUTES)
}
