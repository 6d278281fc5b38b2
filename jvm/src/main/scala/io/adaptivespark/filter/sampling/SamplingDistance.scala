package io.adaptivespark.filter.sampling

import java.util.SplittableRandom

import io.adaptivespark.conf.Rate

/** Rows from one sample to the next, drawn at random: a fixed distance would see one phase of periodic
  * data.
  *
  * The mean is `rows` of the rate. For `auto` it keeps sampling at `Share` of the task's time, by the
  * cheapest of the latest samples, since code is slow the first times that it runs.
  *
  * @param seed
  *   makes the sequence of distances reproducible
  */
final class SamplingDistance private (rate: Rate, seed: Long) {
  private val random = new SplittableRandom(seed)
  private val started = System.nanoTime()
  private val lately = Array.fill(SamplingDistance.Remembered)(Long.MaxValue)
  private var samples = 0

  /** Rows before the first sample, at most `atMost`: a query with a LIMIT may want no more. */
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

  /** Notes the time that a sample took, in ns. */
  def took(nanos: Long): Unit = {
    lately(samples % lately.length) = nanos
    samples += 1
  }

  /** A random start for `size` consecutive rows among `count`. */
  def start(count: Int, size: Int): Int = random.nextInt(count - size + 1)

  /** Rows to sample at once out of `count`: at least `atLeast`, if there are so many. */
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
