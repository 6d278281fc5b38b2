package io.adaptivespark.filter

import scala.util.control.NonFatal

import org.apache.spark.sql.vectorized.ColumnarBatch

/** A task's adaptive filter over column batches: one selection of rows a batch, narrowed conjunct by conjunct in the learned order.
  *
  * The generated code consumes the selected rows one by one, and may stop before the last, as a LIMIT does. So a conjunct's error must not show before
  * the row that raises it is asked for: a batch in which one throws is evaluated anew, row by row and in written order.
  */
final class BatchFilter(
    batches: Iterator[ColumnarBatch],
    loops: ConjunctLoops,
    segments: Array[Segment],
    mayThrow: Boolean,
    monitor: TaskMonitor
) {
  private var batch: ColumnarBatch = _
  private var selected = new Array[Int](0)
  private var size = 0
  private var everyRow = new Array[Int](0)

  private val trees = segments.map(segment => segment.from -> new TreeSelection(segment, loops)).toMap

  // Rows of the batch that are still to be evaluated one by one.
  private var nextSingle = 0
  private var endOfSingles = 0

  /** The rows that passed, as indexes into the batch that was opened last; of them, the first `count`. */
  def rows: Array[Int] = selected
  def count: Int = size

  /** Goes on to the next rows that pass; false at the end of the input. */
  def advance(): Boolean = {
    size = 0
    while (size == 0 && (nextSingle < endOfSingles || openNext()))
      if (nextSingle < endOfSingles) selectSingle() else selectAll()
    size > 0
  }

  private def openNext(): Boolean = {
    if (batch != null) FilterShim.release(batch)
    val more = batches.hasNext
    if (more) {
      batch = batches.next()
      monitor.count(batch.numRows)
      loops.open(batch)
      if (batch.numRows > everyRow.length) {
        everyRow = Array.range(0, batch.numRows)
        selected = new Array[Int](batch.numRows)
      }
    } else batch = null
    more
  }

  private def selectAll(): Unit = {
    val rows = batch.numRows
    System.arraycopy(everyRow, 0, selected, 0, rows)
    try size = narrow(rows)
    catch {
      case _: StackOverflowError | _: LinkageError | NonFatal(_) if mayThrow =>
        nextSingle = 0
        endOfSingles = rows
    }
  }

  private def narrow(rows: Int): Int = {
    var count = rows
    var at = 0
    while (at < segments.length && count > 0) {
      count = narrow(segments(at), monitor.sliceSegment(at), count)
      at += 1
    }
    count
  }

  private def narrow(segment: Segment, monitor: SliceMonitor, rows: Int): Int =
    if (monitor == null) loops.keep(segment.from, selected, rows, selected)
    else {
      monitor.see(loops, segment.from, selected, rows)
      trees(segment.from).keep(monitor.nodes, selected, rows)
    }

  private def selectSingle(): Unit = {
    selected(0) = nextSingle
    nextSingle += 1
    size =
      if (
        segments.forall(segment =>
          segment.shape.truth(~0, leaf => loops.test(segment.from + leaf, selected(0)))
        )
      ) 1
      else 0
  }
}
