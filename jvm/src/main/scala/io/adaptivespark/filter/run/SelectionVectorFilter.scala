package io.adaptivespark.filter.run

import scala.util.control.NonFatal

import org.apache.spark.sql.vectorized.ColumnarBatch

import io.adaptivespark.filter.plan.Segment
import io.adaptivespark.filter.sampling.{ConjunctLoops, SliceMonitor, TaskMonitor}
import io.adaptivespark.shim.BatchShim

/** A task's adaptive filter over column batches: one selection of rows for each batch, narrowed conjunct by
  * conjunct in the learned order.
  *
  * Generated code consumes the selected rows one by one and may stop early, as a LIMIT does. So a task's
  * first rows are evaluated in chunks that double from a single row: at most twice as many rows as Spark
  * would evaluate. A conjunct's error must not show before the row that raises it is consumed. A chunk in
  * which a conjunct throws is evaluated again, row by row and in written order.
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

  // The batch's rows from `nextRow` on have not been evaluated. The next `chunk` of them are evaluated at
  // once.
  private var nextRow = 0
  private var endOfRows = 0
  private var chunk = 1

  private val trees = segments.map(segment => segment.from -> new TreeSelection(segment, loops)).toMap

  // Rows of the latest chunk that are evaluated one by one.
  private var nextSingle = 0
  private var endOfSingles = 0

  /** The rows that passed, as indexes into the latest batch. The first `count` are valid. */
  def rows: Array[Int] = selected
  def count: Int = size

  /** Advances to the next rows that pass. False at the end of the input. */
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

  /** Advances to the next chunk of the batch. Returns its number of rows. */
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
  // More rows than any batch has: from there on whole batches are evaluated.
  private val LargestChunk = 1 << 29
}
