package org.apache.spark.sql.execution.adaptivespark

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.util.AccumulatorV2

/** Early releases of 3.5 give the list of a task's accumulators away, and later ones lend it under a lock. */
private[adaptivespark] object TaskAccumulators {
  private type Accumulators = mutable.Buffer[AccumulatorV2[_, _]]

  private val handedOut = Try(classOf[TaskMetrics].getMethod("externalAccums")).toOption

  /** Runs `body` with an accumulator as the last one of a task. */
  def within[T](metrics: TaskMetrics, last: AccumulatorV2[_, _])(body: => T): T = {
    change(metrics)(_ += last)
    try body
    finally change(metrics)(_ -= last)
  }

  private def change(metrics: TaskMetrics)(how: Accumulators => Unit): Unit = handedOut match {
    case Some(list) => how(list.invoke(metrics).asInstanceOf[Accumulators])
    case None => metrics.withExternalAccums(how(_))
  }
}
