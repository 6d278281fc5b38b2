package io.adaptivespark.filter.sampling

import io.adaptivespark.filter.order.Evidence

/** Times that leaves took for single rows, in ns, until a window of samples is full.
  *
  * A garbage collection or a lost core adds milliseconds to a row that takes nanoseconds, and is no cost of
  * the leaf. The clock cannot tell, and a row cannot be evaluated twice. A time far above the leaf's others
  * therefore counts as a bound: a multiple of its mean so far, or of the window's median in the first
  * window.
  *
  * @param most
  *   samples of a window, and so times of each leaf
  */
final private[adaptivespark] class RowTimes(leaves: Int, most: Int) {
  private val times = Array.ofDim[Long](leaves, most)
  private val counts = new Array[Int](leaves)

  def add(leaf: Int, nanos: Long): Unit = {
    times(leaf)(counts(leaf)) = nanos
    counts(leaf) += 1
  }

  /** Adds the times to `window` and forgets them.
    *
    * @param meanBefore
    *   mean cost of a leaf before this window, in ns per row; NaN where it met no row
    */
  def settle(window: Evidence, meanBefore: Int => Double): Unit = {
    var leaf = 0
    while (leaf < leaves) {
      if (counts(leaf) > 0) window.nanos(leaf) += plausible(leaf, meanBefore(leaf))
      counts(leaf) = 0
      leaf += 1
    }
  }

  private def plausible(leaf: Int, meanBefore: Double): Long = {
    val bound = RowTimes.Outlier * (if (meanBefore > 0) meanBefore else median(leaf))
    var (sum, i) = (0.0, 0)
    while (i < counts(leaf)) {
      sum += math.min(times(leaf)(i).toDouble, bound)
      i += 1
    }
    sum.toLong
  }

  /** The lower median: of two times, the higher one may be the lost core's. */
  private def median(leaf: Int): Double = {
    val sorted = java.util.Arrays.copyOf(times(leaf), counts(leaf))
    java.util.Arrays.sort(sorted)
    sorted((sorted.length - 1) / 2).toDouble
  }
}

private object RowTimes {

  /** Costs of rows differ by their values, but a pause is 10,000 times the cost of a comparison. */
  private val Outlier = 16.0
}
