package io.adaptivespark.join.keys

import scala.collection.concurrent.TrieMap

import org.apache.spark.util.sketch.BloomFilter

/** What the build side of a join holds in one key column.
  *
  * @param rows
  *   rows whose key is not null
  * @param values
  *   the distinct keys, ascending, where they were few enough to be kept
  * @param widened
  *   disjoint ranges, ascending, that hold all keys, where there were too many for `values`
  * @param bloom
  *   a filter that all keys pass, where they might have been too many for `values`
  */
final private[adaptivespark] case class KeySummary[K](
    rows: Long,
    values: Option[IndexedSeq[K]],
    widened: IndexedSeq[KeyRange[K]],
    bloom: Option[BloomFilter]
)(implicit space: KeySpace[K]) {

  /** Disjoint ranges, ascending, that hold all keys, and nothing else if they are known one by one. */
  def ranges: IndexedSeq[KeyRange[K]] =
    values.fold(widened)(keys => KeyRanges.union(keys.map(key => KeyRange(key, key))))

  @transient private lazy val cuts = TrieMap.empty[Int, Vector[KeyRange[K]]]

  /** As many of them, up to `most`, as are worth comparing with. */
  def worth(most: Int): Vector[KeyRange[K]] = cuts.getOrElseUpdate(most, KeyRanges.worth(ranges, most))

  def isEmpty: Boolean = rows == 0

  def withRows(rows: Long): KeySummary[K] = copy(rows = rows)
}
