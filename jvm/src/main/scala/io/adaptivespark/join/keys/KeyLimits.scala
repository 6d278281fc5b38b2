package io.adaptivespark.join.keys

/** The most keys of a build side that are kept, by kind.
  *
  * @param longs
  *   distinct keys that are longs: 1 MiB of them
  * @param values
  *   distinct keys that are objects
  * @param valueBytes
  *   bytes of these together
  * @param bloomItems
  *   keys that a bloom filter has room for; none where a set will do, the keys are too many, or nobody tests rows
  */
final private[adaptivespark] case class KeyLimits(
    longs: Int = 1 << 17,
    values: Int = 1 << 15,
    valueBytes: Int = 4 << 20,
    bloomItems: Option[Long] = None
)

private[adaptivespark] object KeyLimits {
  // 15 MiB of bits
  private val MostBloomItems = 12L << 20

  /** So many bits a key let 1 % of other values pass. */
  val BloomBitsOfKey = 10

  /** The limits of a build side of `rows` rows, by whose keys each row of the probe side will be tested; none where
    * nobody knows how many, or nobody tests.
    */
  def of(rows: Option[Long]): KeyLimits = {
    val sets = KeyLimits()
    sets.copy(bloomItems = rows.filter(n => n > sets.values && n <= MostBloomItems))
  }

  /** The number of ranges that are kept once the keys are too many. */
  val WidenedRanges = 1024
}
