package io.adaptivespark.join

/** All values from `low` to `high`, both included. */
final private[join] case class KeyRange[K](low: K, high: K)

/** Disjoint ranges in ascending order. */
private[join] object KeyRanges {

  /** At most `most` ranges that hold all of `ranges`: those closest to each other become one.
    *
    * @param ranges
    *   disjoint, in ascending order
    */
  def cut[K](ranges: IndexedSeq[KeyRange[K]], most: Int)(implicit space: KeySpace[K]): Vector[KeyRange[K]] =
    if (ranges.size <= most) ranges.toVector
    else {
      val gaps = space.gaps(ranges)
      val kept = gaps.indices.sortBy(i => -gaps(i)).take(most - 1).sorted
      val starts = 0 +: kept.map(_ + 1)
      starts.zip(kept :+ ranges.size - 1).map { case (first, last) =>
        KeyRange(ranges(first).low, ranges(last).high)
      }.toVector
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
