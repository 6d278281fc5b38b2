package io.adaptivespark.join.keys

import scala.collection.concurrent.TrieMap

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.sketch.BloomFilter

/** The keys of one column of a build side, or of a part of it, as one task or the driver knows them.
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
)(implicit val domain: KeyDomain[K]) {

  /** Disjoint ranges, ascending, that hold all keys, and nothing else if they are known one by one. */
  def ranges: IndexedSeq[KeyRange[K]] =
    values.fold(widened)(keys => KeyRanges.union(keys.map(key => KeyRange(key, key))))

  @transient private lazy val cuts = TrieMap.empty[Int, Vector[KeyRange[K]]]

  /** Ranges that hold all keys, each as its two ends, which belong to it: as many, up to
    * `most`, as are worth comparing with.
    */
  def ranges(most: Int, dataType: DataType): Seq[(Literal, Literal)] =
    cuts.getOrElseUpdate(most, KeyRanges.worth(ranges, most)).map { range =>
      (domain.literal(range.low, dataType), domain.literal(range.high, dataType))
    }

  /** The distinct keys, where they are known and at most `most`. */
  def literals(most: Int, dataType: DataType): Option[Seq[Literal]] =
    values.filter(_.size <= most).map(_.map(domain.literal(_, dataType)))

  def membership: Option[KeyMembership] = domain.membership(this)

  def isEmpty: Boolean = rows == 0

  def withRows(rows: Long): KeySummary[K] = copy(rows = rows)

  /** The keys of both, within the limits of a build side. */
  def or(other: KeySummary[_]): KeySummary[K] = {
    val both = domain.collector(KeyLimits())
    both.add(this)
    both.add(other)
    both.summary
  }

  /** This summary as one of `domain`, whose keys it must have.
    *
    * @throws IllegalArgumentException
    *   where it has others: the keys of one join have one type on both sides, and all parts of a build side have it
    */
  def as[L](wanted: KeyDomain[L]): KeySummary[L] = {
    require(domain eq wanted, s"Keys of $domain can't be added to keys of $wanted.")
    asInstanceOf[KeySummary[L]]
  }
}
