package io.adaptivespark.join

import org.apache.spark.util.sketch.BloomFilter

/** What the build side of a join holds in one key column.
  *
  * @param rows
  *   rows whose key is not null
  * @param values
  *   the distinct keys, ascending, where they were few enough to be kept
  * @param ranges
  *   disjoint ranges, ascending, that hold all keys
  * @param bloom
  *   a filter that all keys pass, where there were too many for `values`
  */
final private[join] case class KeySummary[K](
    rows: Long,
    values: Option[IndexedSeq[K]],
    ranges: IndexedSeq[KeyRange[K]],
    bloom: Option[BloomFilter]
) {
  def isEmpty: Boolean = rows == 0
}
