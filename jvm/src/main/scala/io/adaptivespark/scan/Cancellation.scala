package io.adaptivespark.scan

import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.CancellationException

import org.apache.spark.SparkThrowable

import io.adaptivespark.shim.CancellationShim

/** Tells the end of a query that was cancelled from an error that it can go on after. */
private[adaptivespark] object Cancellation {
  // bounds causes that go in a circle
  private val Deepest = 32

  /** True if the thread was interrupted, or `error` or one of its causes says that a job or a wait was cancelled. */
  def causes(error: Throwable): Boolean = Thread.currentThread.isInterrupted ||
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(Deepest).exists(isCancellation)

  private def isCancellation(error: Throwable): Boolean = error match {
    case spark: SparkThrowable => CancellationShim.isCancelledJob(spark)
    case _: SocketTimeoutException => false
    case _: InterruptedException | _: InterruptedIOException => true
    case _: ClosedByInterruptException | _: CancellationException => true
    case _ => false
  }
}
