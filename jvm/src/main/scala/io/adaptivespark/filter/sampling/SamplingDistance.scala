package io.adaptivespark.filter.sampling

import java.util.SplittableRandom

import io.adaptivespark.conf.Rate

/** How far apart samples are: drawn anew each time, since a fixed distance would see only one phase of periodic data.
  *
  * The mean is `rows` of the rate; or for `auto` what keeps sampling at `Share` of the task's time, by the cheapest of the last samples: code that runs for
  * the first times is slow.
  *
  * @param seed
  *   the same seed draws the same distances from the same means
  */
final class SamplingDistance private (rate: Rate, seed: Long) {
  private val random = new SplittableRandom(seed)
  private val started = System.nanoTime()
  private val lately = Array.fill(SamplingDistance.Remembered)(Long.MaxValue)
  private var samples = 0

  /** Rows before the first sample, `atMost` so many: a query with a LIMIT may want no more. */
  def first(atMost: Long): Long = rate.rows.fold(atMost)(rows => math.min(rows.toLong, atMost))

  /** Rows from one sample to the next.
    *
    * @param size
    *   rows of a sample
    * @param seen
    *   rows seen so far
    */
  def next(size: Long, seen: Long): Long = {
    val mean = rate.rows.fold(affordable(size, seen))(_ * size)
    random.nextLong(1L, 2L * math.max(mean, 1L))
  }

  /** Notes what a sample took. */
  def took(nanos: Long): Unit = {
    lately(samples % lately.length) = nanos
    samples += 1
  }

  /** A place for `size` rows among `count`. */
  def place(count: Int, size: Int): Int = random.nextInt(count - size + 1)

  /** How many of `count` rows to sample at once, `atLeast` so many if there are. */
  def size(count: Int, atLeast: Int): Int =
    math.min(count, rate.rows.fold(atLeast)(rows => math.max(atLeast, count / rows)))

  private def affordable(size: Long, seen: Long): Long =
    if (samples == 0 || seen == 0) size * SamplingDistance.AtFirst
    else {
      val nanosPerRow = math.max(1.0, (System.nanoTime() - started).toDouble / seen)
      val mean = (lately.min / (SamplingDistance.Share * nanosPerRow)).toLong
      math.max(size, math.min(mean, size * SamplingDistance.Farthest))
    }
}

object SamplingDistance {
  private val Share = 0.003
  private val Remembered = 8
  private val AtFirst = 100L
  private val Farthest = 10000L

  def apply(rate: Rate, seed: Long): SamplingDistance = new SamplingDistance(rate, seed)
}
