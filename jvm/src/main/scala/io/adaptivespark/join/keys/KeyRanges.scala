package io.adaptivespark.join.keys

/** Disjoint ranges in ascending order. */
private[adaptivespark] object KeyRanges {

  /** Each range is compared with the statistics of each row group and page; 64 cost next to nothing. */
  val Few = 64

  // Shares of what lies between the keys. Ids that were scattered took 96 ranges to skip the pages between them: with
  // 64 the scan read 37 million rows instead of 6 million (docs/performance/joins.md, `qubole`).
  private val NearlyAll = 0.95
  private val TooLittle = 0.25

  // A share of the values from the first key to the last.
  private val TooLittleOfSpan = 0.1

  /** The ranges that are worth comparing with: as many, up to `most`, as it takes to leave out 95 % of what lies
    * between `ranges`; `Few` where even `most` would leave out less than 25 % of that, or 10 % of all values
    * from the first key to the last.
    */
  def worth[K](ranges: IndexedSeq[KeyRange[K]], most: Int)(implicit
      domain: KeyDomain[K]
  ): Vector[KeyRange[K]] =
    if (ranges.size <= math.min(most, Few)) ranges.toVector
    else {
      val gaps = domain.gaps(ranges)
      val ascending = sorted(gaps)
      val all = gaps.sum
      val ends = IndexedSeq(ranges.head.low, ranges.last.high).map(key => KeyRange(key, key))
      val little = math.max(TooLittle * all, TooLittleOfSpan * domain.gaps(ends).head)
      var (kept, leftOut) = (0, 0.0)
      while (kept < math.min(most - 1, gaps.length) && leftOut < NearlyAll * all) {
        kept += 1
        leftOut += ascending(gaps.length - kept)
      }
      val few = math.min(most, Few) // also where one gap, to a key like -1, is nearly all there is
      split(ranges, gaps, ascending, if (leftOut < little) few else math.max(few, kept + 1))
    }

  /** At most `most` ranges that hold all of `ranges`: those closest to each other become one.
    *
    * @param ranges
    *   disjoint, in ascending order
    */
  def cut[K](ranges: IndexedSeq[KeyRange[K]], most: Int)(implicit domain: KeyDomain[K]): Vector[KeyRange[K]] =
    if (ranges.size <= most) ranges.toVector
    else {
      val gaps = domain.gaps(ranges)
      split(ranges, gaps, sorted(gaps), most)
    }

  private def sorted(gaps: Array[Double]): Array[Double] = {
    val ascending = gaps.clone()
    java.util.Arrays.sort(ascending)
    ascending
  }

  /** `ranges` as `count` ranges, split at the largest gaps; at the first of equal ones.
    *
    * Builds have hundreds of thousands: no gap is boxed.
    */
  private def split[K](
      ranges: IndexedSeq[KeyRange[K]],
      gaps: Array[Double],
      ascending: Array[Double],
      count: Int
  ): Vector[KeyRange[K]] = {
    val whole = Vector.newBuilder[KeyRange[K]]
    val above = ascending.length - count + 1
    val least = if (count > 1) ascending(above) else Double.PositiveInfinity
    var ties = ascending.drop(above).count(_ == least)
    var (first, i) = (0, 0)
    while (i < gaps.length) {
      val isTie = gaps(i) == least && ties > 0
      if (isTie) ties -= 1
      if (isTie || gaps(i) > least) {
        whole += KeyRange(ranges(first).low, ranges(i).high)
        first = i + 1
      }
      i += 1
    }
    whole += KeyRange(ranges(first).low, ranges.last.high)
    whole.result()
  }

  /** True where one of `ranges` holds `key`.
    *
    * @param ranges
    *   disjoint, in ascending order
    */
  def hold[K](ranges: IndexedSeq[KeyRange[K]], key: K)(implicit domain: KeyDomain[K]): Boolean = {
    var (low, high) = (0, ranges.size)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (domain.gt(ranges(middle).low, key)) high = middle else low = middle + 1
    }
    low > 0 && domain.lteq(key, ranges(low - 1).high)
  }

  /** Ranges that hold what `ranges` hold and nothing more.
    *
    * @param ranges
    *   in any order; they may overlap
    */
  def union[K](ranges: IndexedSeq[KeyRange[K]])(implicit domain: KeyDomain[K]): IndexedSeq[KeyRange[K]] = {
    val disjoint = IndexedSeq.newBuilder[KeyRange[K]]
    var open: Option[KeyRange[K]] = None
    ranges.sortBy(_.low).foreach { next =>
      open match {
        case Some(before) if domain.gteq(before.high, next.low) || domain.adjacent(before.high, next.low) =>
          open = Some(KeyRange(before.low, domain.max(before.high, next.high)))
        case _ =>
          disjoint ++= open
          open = Some(next)
      }
    }
    disjoint ++= open
    disjoint.result()
  }
}
