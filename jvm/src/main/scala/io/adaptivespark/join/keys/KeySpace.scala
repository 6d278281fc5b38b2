package io.adaptivespark.join.keys

import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String

/** The values of a join key, as Spark holds them within a plan: their order, and how far apart they are. */
sealed private[adaptivespark] trait KeySpace[K] extends Ordering[K] {

  /** Whether no value lies between `below` and `above`. */
  def adjacent(below: K, above: K): Boolean

  /** How much lies between the end of each range and the start of the next, in a unit that is the same for all of them. */
  def gaps(ranges: IndexedSeq[KeyRange[K]]): Array[Double]

  final protected def between(ranges: IndexedSeq[KeyRange[K]])(gap: (K, K) => Double): Array[Double] =
    Array.tabulate(ranges.size - 1)(i => gap(ranges(i).high, ranges(i + 1).low))
}

private[adaptivespark] object KeySpace {

  /** Integers, days, microseconds, unscaled decimals, and false and true as 0 and 1. */
  implicit object Longs extends KeySpace[Long] {
    override def compare(x: Long, y: Long): Int = java.lang.Long.compare(x, y)
    override def adjacent(below: Long, above: Long): Boolean = below != Long.MaxValue && below + 1 == above

    override def gaps(ranges: IndexedSeq[KeyRange[Long]]): Array[Double] = between(ranges)(distance(_, _) - 1)

    /** As an unsigned number: the difference of two longs may not fit one. */
    def distance(below: Long, above: Long): Double = {
      val difference = above - below
      if (difference >= 0) difference.toDouble else difference.toDouble + math.pow(2, 64)
    }
  }

  /** Strings and binary values, by their bytes. */
  implicit object Bytes extends KeySpace[UTF8String] {
    override def compare(x: UTF8String, y: UTF8String): Int = x.binaryCompare(y)
    override def adjacent(below: UTF8String, above: UTF8String): Boolean = false

    // As numbers of the eight bytes after those that all have in common.
    override def gaps(ranges: IndexedSeq[KeyRange[UTF8String]]): Array[Double] = {
      val common = commonPrefix(ranges.head.low, ranges.last.high)
      between(ranges)((below, above) => Longs.distance(number(below, common), number(above, common)))
    }

    private def commonPrefix(a: UTF8String, b: UTF8String): Int = {
      val end = math.min(a.numBytes, b.numBytes)
      (0 until end).find(i => a.getByte(i) != b.getByte(i)).getOrElse(end)
    }

    private def number(value: UTF8String, from: Int): Long = (from until from + 8).foldLeft(0L) { (number, i) =>
      (number << 8) | (if (i < value.numBytes) value.getByte(i) & 0xffL else 0L)
    }
  }

  /** Decimals that do not fit a long. */
  implicit object Decimals extends KeySpace[Decimal] {
    override def compare(x: Decimal, y: Decimal): Int = x.compare(y)
    override def adjacent(below: Decimal, above: Decimal): Boolean = false
    override def gaps(ranges: IndexedSeq[KeyRange[Decimal]]): Array[Double] =
      between(ranges)((below, above) => above.toDouble - below.toDouble)
  }
}
