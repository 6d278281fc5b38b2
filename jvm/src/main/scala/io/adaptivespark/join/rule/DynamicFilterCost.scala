package io.adaptivespark.join.rule

import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.history.PruningMemory
import io.adaptivespark.join.scan.{ProbeColumn, ScanBytes}

/** Whether a filter is worth what it costs. */
private[adaptivespark] object DynamicFilterCost {

  /** Bytes are asked for where they decide: files may have to be listed for them.
    *
    * @param column
    *   of the scan that is filtered
    * @param testsRows
    *   whether rows are, too; otherwise reading is all that the filter saves
    * @param build
    *   bytes of the files under the build side; 0 where it is there already
    * @param waits
    *   whether the scan would otherwise run while the build side does
    */
  final class Facts(
      column: ProbeColumn,
      testsRows: Boolean,
      build: => Long,
      val waits: Boolean,
      val reduced: Boolean
  ) {
    lazy val probeBytes: Long = ScanBytes(column.scan)
    lazy val columnBytes: Option[Long] = Option.unless(testsRows)(ScanBytes.ofColumns(column))
    lazy val buildBytes: Long = build
  }

  /** Whether it is not only because the build side is larger than what it would save. */
  def waitsTooLong(facts: Facts): Boolean = facts.waits && facts.buildBytes > facts.probeBytes

  /** Why not, as a sentence's end; none where it is. */
  def refusal(facts: Facts, settings: DynamicFilterSettings): Option[String] =
    if (!facts.reduced) Some("nothing filters the build side, or only what filters the scan by its key, too")
    else if (facts.probeBytes < settings.minProbeBytes)
      Some(s"the scan has ${facts.probeBytes} bytes of files, less than spark.sql.dynamicFilter.minProbeSize")
    else if (facts.columnBytes.exists(_ < settings.minProbeBytes))
      Some(
        s"the scan's columns have about ${facts.columnBytes.sum} bytes of files, less than spark.sql.dynamicFilter.minProbeSize"
      )
    else if (waitsTooLong(facts))
      Some(
        s"the scan would wait for a build side that reads more than itself, ${facts.buildBytes} bytes against ${facts.probeBytes}"
      )
    else None

  /** Why not to wait again for a filter that kept at least this share of its scan's rows each time when it last ran; none where it is worth it. */
  def refusal(kept: Double): Option[String] = Option.when(kept > MostKept)(
    f"its last two runs kept ${kept * 100}%.0f %% of the rows or more, too many to wait for its keys; it is tried again after ${PruningMemory.Patience} runs without it"
  )

  // A scan that keeps more saves less than it loses by not running beside the build side.
  private val MostKept = 0.9
}
