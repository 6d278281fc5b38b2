package io.adaptivespark.filter.sampling

import java.io.ObjectOutputStream

import scala.collection.mutable

import org.apache.spark.util.AccumulatorV2

/** Brings the reports of tasks, each with its partition, to the driver.
  *
  * Spark's scheduler adds to it, its heartbeats serialize it and table functions read it, each in a thread
  * of its own. All of them lock the report.
  */
final class FilterReportAccumulator(size: Int) extends AccumulatorV2[(Int, FilterReport), FilterReport] {

  /** The sum so far. It alone is remembered once the plan is gone. */
  val report = new FilterReport(size)

  // By partition, rows in and out of the task that read most of it. A task may run twice, a sort reads its
  // input twice, and a plan may be executed again.
  private val rows = mutable.HashMap.empty[Int, (Long, Long)]

  override def isZero: Boolean = report.synchronized(rows.isEmpty && report.isEmpty)

  override def add(ofPartition: (Int, FilterReport)): Unit = report.synchronized {
    val (partition, seen) = ofPartition
    addOnce(seen, Map(partition -> (seen.rowsIn -> seen.rowsOut)))
  }

  /** A copy of the sum. */
  override def value: FilterReport = report.copy()

  override def reset(): Unit = report.synchronized {
    report.clear()
    rows.clear()
  }

  override def copy(): FilterReportAccumulator = {
    val copied = new FilterReportAccumulator(size)
    copied.merge(this)
    copied
  }

  // Spark calls it whenever it sends the filter to tasks.
  override def copyAndReset(): FilterReportAccumulator = new FilterReportAccumulator(size)

  override def merge(other: AccumulatorV2[(Int, FilterReport), FilterReport]): Unit = other match {
    case tasks: FilterReportAccumulator =>
      // One lock at a time.
      val (seen, seenRows) = tasks.report.synchronized((tasks.value, tasks.rows.toMap))
      report.synchronized(addOnce(seen, seenRows))
    case _ =>
      throw new UnsupportedOperationException(
        s"Cannot merge ${getClass.getName} with ${other.getClass.getName}."
      )
  }

  /** Adds a task's report unless another task has read as much of its partition. */
  private def addOnce(seen: FilterReport, seenRows: Map[Int, (Long, Long)]): Unit = {
    val more = seenRows.filter { case (partition, (in, _)) => rows.get(partition).forall(_._1 < in) }
    if (more.nonEmpty) report.merge(seen)
    more.foreach { case (partition, (in, out)) =>
      val (inBefore, outBefore) = rows.getOrElse(partition, (0L, 0L))
      rows.update(partition, (in, out))
      report.addRows(in - inBefore, out - outBefore)
    }
  }

  private def writeObject(out: ObjectOutputStream): Unit = report.synchronized(out.defaultWriteObject())
}
