package io.adaptivespark.join.rule

import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.history.Verdict
import io.adaptivespark.join.scan.ProbeColumn

/** Weighs what a filter may save against what it costs. A hint overrides it. */
private[adaptivespark] object DynamicFilterCost {

  /** Sizes are computed where they decide: files may have to be listed for them.
    *
    * @param column
    *   the column of the scan that is filtered
    * @param testsRows
    *   true where rows above the scan are tested by the keys too; otherwise reading less is all that the filter saves
    * @param build
    *   work before the keys are there, in bytes of a plain scan; 0 where they are there already
    * @param waits
    *   true where the scan would otherwise run while the build side does
    * @param reduced
    *   true where the build side has fewer values of the key than its tables
    */
  final class Facts(
      column: ProbeColumn,
      testsRows: Boolean,
      build: => Long,
      val waits: Boolean,
      val reduced: Boolean
  ) {
    lazy val probeBytes: Long = column.kind.bytes
    lazy val columnBytes: Option[Long] = if (!testsRows) Some(column.bytesSaved) else None
    lazy val buildBytes: Long = build
  }

  /** True where the scan would wait, for a build side that reads more bytes than the scan. */
  def waitsTooLong(facts: Facts): Boolean = facts.waits && facts.buildBytes > facts.probeBytes

  /** The first reason against the filter; none where it is worth its cost. */
  def refusal(facts: Facts, settings: DynamicFilterSettings): Option[Verdict] = {
    val least = settings.minProbeBytes
    if (!facts.reduced) Some(Verdict.BuildNotReduced)
    else if (facts.probeBytes < least) Some(Verdict.ScanTooSmall(facts.probeBytes, least))
    else if (facts.columnBytes.exists(_ < least)) facts.columnBytes.map(Verdict.ColumnsTooSmall(_, least))
    else if (waitsTooLong(facts)) Some(Verdict.BuildReadsMore(facts.buildBytes, facts.probeBytes))
    else None
  }

  /** The reason not to make a filter again that kept at least the share `kept` of its scan's rows in each of its
    * last two runs; none where it kept few enough.
    */
  def refusal(kept: Double): Option[Verdict] = if (kept > MostKept) Some(Verdict.KeptTooMany(kept)) else None

  /** Share of rows. A scan that keeps more saves less than it loses by not running beside the build side. */
  val MostKept = 0.9
}
