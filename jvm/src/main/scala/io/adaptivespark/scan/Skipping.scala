package io.adaptivespark.scan

/** The form of condition by which a scan skips data. */
sealed private[adaptivespark] trait Skipping

private[adaptivespark] object Skipping {

  /** Any number of ranges, against the statistics of row groups, pages and cached batches, the values of partitions. */
  case object ByRanges extends Skipping

  /** A list of values, or at most eight ranges: ORC's reader skips nothing by more. */
  case object ByValues extends Skipping

  /** At most eight ranges, longer at both ends: ORC counts in local time, and gives other times
    * back over a change of the clock.
    */
  case object ByTimes extends Skipping

  /** Any number of ranges, longer by a millisecond at both ends, and one more for all times in milliseconds: Iceberg
    * takes the milliseconds that imported files of Parquet note as bounds for microseconds, and others cut theirs to
    * milliseconds.
    */
  case object ByTimesOrMillis extends Skipping
}
