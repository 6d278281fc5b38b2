package io.adaptivespark.filter.sampling

/** A partition's monitors, by segment; null for segments that have no order to choose. */
final class TaskMonitor(segments: Array[SegmentMonitor]) {
  private var counted = 0L

  /** The monitor of a segment, or null. */
  def segment(at: Int): SegmentMonitor = segments(at)
  def rowSegment(at: Int): RowMonitor = segments(at).asInstanceOf[RowMonitor]
  def sliceSegment(at: Int): SliceMonitor = segments(at).asInstanceOf[SliceMonitor]

  /** Counts rows, for filters whose first segment has no monitor that counts. */
  def count(rows: Int): Unit = counted += rows

  def rows: Long = if (segments(0) == null) counted else segments(0).rows
}
