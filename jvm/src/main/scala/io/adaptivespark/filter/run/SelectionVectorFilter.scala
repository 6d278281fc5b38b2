package io.adaptivespark.filter.run

import scala.util.control.NonFatal

import org.apache.spark.sql.vectorized.ColumnarBatch

import io.adaptivespark.filter.plan.Segment
import io.adaptivespark.filter.sampling.{ConjunctLoops, SliceMonitor, TaskMonitor}
import io.adaptivespark.shim.BatchShim

/** A task's adaptive filter over column batches: one selection of rows a batch, narrowed conjunct by conjunct in the learned order.
  *
  * The generated code consumes the selected rows one by one, and may stop before the last, as a LIMIT does. So the first rows of a task are evaluated in
  * chunks that double from a single row: at most twice as many as Spark would evaluate. And a conjunct's error must not show before the row that raises it
  * is asked for: a chunk in which one throws is evaluated anew, row by row and in written order.
  */
final class SelectionVectorFilter(
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

  // Rows of the batch from `nextRow` on are still to be evaluated, `chunk` of them at once.
  private var nextRow = 0
  private var endOfRows = 0
  private var chunk = 1

  private val trees = segments.map(segment => segment.from -> new TreeSelection(segment, loops)).toMap

  // Rows of the last chunk that are still to be evaluated one by one.
  private var nextSingle = 0
  private var endOfSingles = 0

  /** The rows that passed, as indexes into the batch that was opened last; of them, the first `count`. */
  def rows: Array[Int] = selected
  def count: Int = size

  /** Goes on to the next rows that pass; false at the end of the input. */
  def advance(): Boolean = {
    size = 0
    while (size == 0 && (nextSingle < endOfSingles || nextRow < endOfRows || openNext()))
      if (nextSingle < endOfSingles) selectSingle()
      else if (nextRow < endOfRows) selectChunk()
    size > 0
  }

  private def openNext(): Boolean = {
    if (batch != null) BatchShim.release(batch)
    val more = batches.hasNext
    if (more) {
      batch = batches.next()
      nextRow = 0
      endOfRows = batch.numRows
      loops.open(batch)
      if (batch.numRows > everyRow.length) {
        everyRow = Array.range(0, batch.numRows)
        selected = new Array[Int](batch.numRows)
      }
    } else batch = null
    more
  }

  private def selectChunk(): Unit = {
    val (from, rows) = (nextRow, nextChunk())
    monitor.count(rows)
    System.arraycopy(everyRow, from, selected, 0, rows)
    try size = narrow(rows)
    catch {
      case _: StackOverflowError | _: LinkageError | NonFatal(_) if mayThrow =>
        nextSingle = from
        endOfSingles = from + rows
    }
  }

  /** Goes on to the next chunk of the batch; how many rows it has. */
  private def nextChunk(): Int = {
    val rows = math.min(chunk, endOfRows - nextRow)
    nextRow += rows
    chunk = math.min(chunk * 2, SelectionVectorFilter.LargestChunk)
    rows
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

private object SelectionVectorFilter {
  // More than any batch has: from then on batches are evaluated whole.
  private val LargestChunk = 1 << 29
}
