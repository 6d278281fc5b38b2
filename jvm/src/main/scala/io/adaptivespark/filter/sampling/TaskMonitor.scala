package io.adaptivespark.filter.sampling

/** A partition's monitors, one for each movable segment; the others have none. */
final class TaskMonitor(segments: Array[SegmentMonitor]) {
  private var counted = 0L

  /** The monitor of a segment, null where there is no order to choose. */
  def segment(at: Int): SegmentMonitor = segments(at)
  def rowSegment(at: Int): RowMonitor = segments(at).asInstanceOf[RowMonitor]
  def sliceSegment(at: Int): SliceMonitor = segments(at).asInstanceOf[SliceMonitor]

  /** Counts rows, where the first segment has no monitor that does. */
  def count(rows: Int): Unit = counted += rows

  def rows: Long = if (segments(0) == null) counted else segments(0).rows
}
