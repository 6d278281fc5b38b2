package io.adaptivespark.scan

import java.io.{InterruptedIOException, IOException}
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.ExecutionException

import org.scalatest.funsuite.AnyFunSuite

class CancellationSuite extends AnyFunSuite {
  test("what an interrupt or a cancelled job brings about is told from other errors, however deep it is") {
    val cancelled = Seq(
      new InterruptedException,
      new InterruptedIOException,
      new ClosedByInterruptException,
      new java.util.concurrent.CancellationException
    )
    for (error <- cancelled; thrown <- Seq(error, new ExecutionException(new RuntimeException(error))))
      assert(Cancellation.causes(thrown), thrown)
    val others = Seq(new SocketTimeoutException, new IOException("lost"), new RuntimeException(new Exception))
    others.foreach(error => assert(!Cancellation.causes(error), error))
    Thread.currentThread.interrupt()
    try assert(Cancellation.causes(new IOException))
    finally assert(Thread.interrupted(), "it is still told")
  }
}
