package io.adaptivespark.join.keys

/** How much of a build side's keys is kept.
  *
  * @param bloomItems
  *   how many keys a bloom filter is for; none where a set will do, there are too many, or nobody tests rows
  */
final private[adaptivespark] case class KeyLimits(
    longs: Int = 1 << 17,
    values: Int = 1 << 15,
    valueBytes: Int = 4 << 20,
    bloomItems: Option[Long] = None
)

private[adaptivespark] object KeyLimits {
  private val MostBloomItems = 12L << 20

  /** They let a hundredth of the others pass. */
  val BloomBitsOfKey = 10

  /** For a build side of so many rows, where each row of the probe side will be tested. */
  def of(rows: Option[Long]): KeyLimits = {
    val sets = KeyLimits()
    sets.copy(bloomItems = rows.filter(n => n > sets.values && n <= MostBloomItems))
  }

  /** Ranges that are kept once the keys are too many. */
  val WidenedRanges = 1024
}
