package io.adaptivespark.shim

import org.apache.spark.SparkThrowable

private[adaptivespark] object CancellationShim {
  private val Message = "Job \\d+ cancelled".r

  /** True if `error` says that a job was cancelled. Since Spark 4.0 its condition does; before, its message alone. */
  def isCancelledJob(error: SparkThrowable): Boolean = error match {
    case failed: Throwable => Option(failed.getMessage).exists(Message.findPrefixOf(_).nonEmpty)
    case _ => false
  }
}
