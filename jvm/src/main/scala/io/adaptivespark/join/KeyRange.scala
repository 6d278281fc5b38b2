package io.adaptivespark.join

/** All values from `low` to `high`, both included. */
final private[join] case class KeyRange[K](low: K, high: K)

/** Disjoint ranges in ascending order. */
private[join] object KeyRanges {

  // Each range is compared with the statistics of each row group and page.
  private val Few = 64
  private val NearlyAll = 0.95
  private val TooLittle = 0.25

  /** As many ranges, up to `most`, as it takes to leave out nearly all that lies between `ranges`; a few where even `most` would leave out little. */
  def worth[K](ranges: IndexedSeq[KeyRange[K]], most: Int)(implicit space: KeySpace[K]): Vector[KeyRange[K]] =
    if (ranges.size <= math.min(most, Few)) ranges.toVector
    else {
      val gaps = space.gaps(ranges)
      java.util.Arrays.sort(gaps)
      val all = gaps.sum
      var (kept, leftOut) = (0, 0.0)
      while (kept < math.min(most - 1, gaps.length) && leftOut < NearlyAll * all) {
        kept += 1
        leftOut += gaps(gaps.length - kept)
      }
      val few = math.min(most, Few) // also where one gap, to a key like -1, is nearly all there is
      cut(ranges, if (leftOut < TooLittle * all) few else math.max(few, kept + 1))
    }

  /** At most `most` ranges that hold all of `ranges`: those closest to each other become one.
    *
    * @param ranges
    *   disjoint, in ascending order
    */
  def cut[K](ranges: IndexedSeq[KeyRange[K]], most: Int)(implicit space: KeySpace[K]): Vector[KeyRange[K]] =
    if (ranges.size <= most) ranges.toVector
    else {
      val gaps = space.gaps(ranges)
      val kept = largest(gaps, most - 1)
      val starts = 0 +: kept.map(_ + 1)
      starts.zip(kept :+ ranges.size - 1).map { case (first, last) =>
        KeyRange(ranges(first).low, ranges(last).high)
      }.toVector
    }

  /** Whether one of `ranges` holds `key`.
    *
    * @param ranges
    *   disjoint, in ascending order
    */
  def hold[K](ranges: IndexedSeq[KeyRange[K]], key: K)(implicit space: KeySpace[K]): Boolean = {
    var (low, high) = (0, ranges.size)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (space.gt(ranges(middle).low, key)) high = middle else low = middle + 1
    }
    low > 0 && space.lteq(key, ranges(low - 1).high)
  }

  /** Where the `count` largest of `values` are, ascending; of equal ones the first. Builds sort hundreds of thousands: nothing here is boxed. */
  private def largest(values: Array[Double], count: Int): IndexedSeq[Int] =
    if (count == 0) IndexedSeq.empty
    else {
      val ordered = values.sorted
      val least = ordered(ordered.length - count)
      var ties = count - values.count(_ > least)
      values.indices.filter { i =>
        values(i) > least || values(i) == least && {
          ties -= 1
          ties >= 0
        }
      }
    }

  /** Ranges that hold what `ranges` hold and nothing more.
    *
    * @param ranges
    *   in any order; they may overlap
    */
  def union[K](ranges: IndexedSeq[KeyRange[K]])(implicit space: KeySpace[K]): IndexedSeq[KeyRange[K]] = {
    val disjoint = IndexedSeq.newBuilder[KeyRange[K]]
    var open: Option[KeyRange[K]] = None
    ranges.sortBy(_.low).foreach { next =>
      open match {
        case Some(before) if space.gteq(before.high, next.low) || space.adjacent(before.high, next.low) =>
          open = Some(KeyRange(before.low, space.max(before.high, next.high)))
        case _ =>
          disjoint ++= open
          open = Some(next)
      }
    }
    disjoint ++= open
    disjoint.result()
  }
}
