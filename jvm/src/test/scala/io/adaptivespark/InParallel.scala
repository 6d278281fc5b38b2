package io.adaptivespark

import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._

/** Cases that need nothing of each other, as many at a time as there are processors. */
object InParallel {

  /** What `body` gives for each case, in order; the first failure is thrown. */
  def apply[A, T](cases: Seq[A])(body: A => T): Seq[T] = {
    val pool = Executors.newFixedThreadPool(Runtime.getRuntime.availableProcessors)
    try
      pool.invokeAll(cases.map(each => new Callable[T] { override def call(): T = body(each) }).asJava)
        .asScala.toSeq.map(_.get)
    finally pool.shutdownNow()
  }
}
