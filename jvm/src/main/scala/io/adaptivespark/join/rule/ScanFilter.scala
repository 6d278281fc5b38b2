package io.adaptivespark.join.rule

import io.adaptivespark.history.text.RedactedText
import io.adaptivespark.join.build.BuildFingerprint
import io.adaptivespark.join.scan.ProbeColumn

/** A filter of a scan: by the keys of a join, or, where several joins read what is computed
  * once, by those of any of them.
  *
  * @param column
  *   the column of one of the copies that the plan has of the scan
  * @param wanted
  *   one filter of each join
  */
final private[adaptivespark] case class ScanFilter(column: ProbeColumn, wanted: Seq[WantedFilter]) {
  def testsRows: Boolean = wanted.exists(_.testsRows)
  def testsByBloom: Boolean = wanted.exists(_.testsByBloom)
  def countsRows: Boolean = wanted.exists(_.countsRows)
  def waits: Boolean = wanted.exists(_.waits)
  def isHinted: Boolean = wanted.exists(_.keys.hint.isDefined)

  /** The name of this filter in all queries with the same joins, whatever their constants. */
  lazy val signature: String = {
    val name = RedactedText(wanted.head.name).take(ScanFilter.LongestName)
    s"$name ${if (wanted.size == 1) wanted.head.fingerprint
      else BuildFingerprint.of(wanted.map(_.fingerprint))}"
  }
}

private object ScanFilter {
  private val LongestName = 300
}
