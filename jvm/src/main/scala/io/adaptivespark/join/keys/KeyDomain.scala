package io.adaptivespark.join.keys

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import io.adaptivespark.shim.BytesOrder

/** The values of join keys by what Spark holds in memory, whatever their SQL type: how they are ordered, collected,
  * looked up and written as literals.
  */
sealed private[adaptivespark] trait KeyDomain[K] extends Ordering[K] {

  /** True where no value lies between `below` and `above`. */
  def adjacent(below: K, above: K): Boolean

  /** The distance from the end of each range to the start of the next, in one unit for all of them. */
  def gaps(ranges: IndexedSeq[KeyRange[K]]): Array[Double]

  def collector(limits: KeyLimits): KeyCollector[K]

  /** A test of rows by these keys; none where they are not known well enough. */
  def membership(keys: KeySummary[K]): Option[KeyMembership]

  /** `key` as a literal of `dataType`, which is one of this domain's. */
  def literal(key: K, dataType: DataType): Literal

  final protected def between(ranges: IndexedSeq[KeyRange[K]])(gap: (K, K) => Double): Array[Double] =
    Array.tabulate(ranges.size - 1)(i => gap(ranges(i).high, ranges(i + 1).low))
}

private[adaptivespark] object KeyDomain {

  /** The domain of a type.
    *
    * There is none for floating point, whose NaN and −0.0 equal others in a join and not in a file's statistics; for
    * strings that are not compared by their bytes; and for types that no scan prunes by.
    */
  def of(dataType: DataType): Option[KeyDomain[_]] = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType |
        BooleanType => Some(Longs)
    case decimal: DecimalType => Some(if (decimal.precision <= Decimal.MAX_LONG_DIGITS) Longs else Decimals)
    case _: CharType | _: VarcharType => None
    case StringType | BinaryType => Some(Bytes)
    case _ => None
  }

  /** Integers, days, microseconds, unscaled decimals, and false and true as 0 and 1. */
  implicit object Longs extends KeyDomain[Long] {

    /** A value of any SQL type of this domain as its number. */
    def number(value: Any): Long = (value: @unchecked) match {
      case decimal: Decimal => decimal.toUnscaledLong
      case boolean: Boolean => if (boolean) 1L else 0L
      case number: Number => number.longValue
    }

    override def compare(x: Long, y: Long): Int = java.lang.Long.compare(x, y)
    override def adjacent(below: Long, above: Long): Boolean = below != Long.MaxValue && below + 1 == above

    override def gaps(ranges: IndexedSeq[KeyRange[Long]]): Array[Double] = between(ranges)(distance(_, _) - 1)

    /** The difference as an unsigned number: that of two longs may not fit a long. */
    def distance(below: Long, above: Long): Double = {
      val difference = above - below
      if (difference >= 0) difference.toDouble else difference.toDouble + math.pow(2, 64)
    }

    override def collector(limits: KeyLimits): LongCollector = new LongCollector(limits)
    override def membership(keys: KeySummary[Long]): Option[KeyMembership] = KeyMembership.ofLongs(keys)

    override def literal(key: Long, dataType: DataType): Literal = Literal(
      dataType match {
        case IntegerType | DateType => key.toInt
        case ShortType => key.toShort
        case ByteType => key.toByte
        case BooleanType => key != 0L
        case decimal: DecimalType => Decimal(key, decimal.precision, decimal.scale)
        case _ => key
      },
      dataType
    )
  }

  /** Strings and binary values, by their bytes. */
  implicit object Bytes extends KeyDomain[UTF8String] {
    override def compare(x: UTF8String, y: UTF8String): Int = BytesOrder.compare(x, y)
    override def adjacent(below: UTF8String, above: UTF8String): Boolean = false

    // The eight bytes after those that all have in common, as numbers.
    override def gaps(ranges: IndexedSeq[KeyRange[UTF8String]]): Array[Double] = {
      val common = commonPrefix(ranges.head.low, ranges.last.high)
      between(ranges)((below, above) => Longs.distance(number(below, common), number(above, common)))
    }

    private def commonPrefix(a: UTF8String, b: UTF8String): Int = {
      val end = math.min(a.numBytes, b.numBytes)
      (0 until end).find(i => byteOf(a, i) != byteOf(b, i)).getOrElse(end)
    }

    private def byteOf(value: UTF8String, i: Int): Byte =
      Platform.getByte(value.getBaseObject, value.getBaseOffset + i)

    private def number(value: UTF8String, from: Int): Long = (from until from + 8).foldLeft(0L) { (number, i) =>
      (number << 8) | (if (i < value.numBytes) byteOf(value, i) & 0xffL else 0L)
    }

    override def collector(limits: KeyLimits): BytesCollector = new BytesCollector(limits)
    override def membership(keys: KeySummary[UTF8String]): Option[KeyMembership] =
      KeyMembership.ofObjects(keys)

    override def literal(key: UTF8String, dataType: DataType): Literal =
      Literal(if (dataType == BinaryType) key.getBytes else key, dataType)
  }

  /** Decimals that do not fit a long. */
  implicit object Decimals extends KeyDomain[Decimal] {
    override def compare(x: Decimal, y: Decimal): Int = x.compare(y)
    override def adjacent(below: Decimal, above: Decimal): Boolean = false
    override def gaps(ranges: IndexedSeq[KeyRange[Decimal]]): Array[Double] =
      between(ranges)((below, above) => above.toDouble - below.toDouble)
    override def collector(limits: KeyLimits): DecimalCollector = new DecimalCollector(limits)
    override def membership(keys: KeySummary[Decimal]): Option[KeyMembership] = KeyMembership.ofObjects(keys)
    override def literal(key: Decimal, dataType: DataType): Literal = Literal(key, dataType)
  }
}
