package io.adaptivespark.join.scan

import java.math.{BigDecimal, BigInteger}
import java.time.LocalDate

import com.google.common.primitives.Ints
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeConstants
import org.apache.spark.sql.types._

import io.adaptivespark.join.keys.OrderPreservingCast
import io.adaptivespark.join.keys.testing.ColumnKeys
import io.adaptivespark.scan.Skipping
import io.adaptivespark.scan.Skipping.{ByRanges, ByTimes, ByTimesOrMillis, ByValues}

/** Conditions on a column that are true of its keys, in a form that its scan can skip data by. */
private[adaptivespark] object ScanPredicates {

  private val MostValues = 1000
  private val FewRanges = 8

  // In any two places, or on both sides of any change, clocks differ by less.
  private val MostOffset = 2 * DateTimeConstants.MICROS_PER_DAY

  // Before this day two dates of a file that has the calendar of the time may be one date of Spark's.
  private val GregorianDay = LocalDate.of(1582, 10, 15).toEpochDay

  // Before this day two times of such a file may be one time of Spark's: in Java's older calendar the standard time of
  // most places begins with the year 1900, and sets clocks back in some. Delta Lake 3.2 and 3.3 leave out the seconds
  // of a zone's offset where they note a file's bounds; the last zone whose offset had some lost them in January 1972.
  private val StandardTimeDay = LocalDate.of(1972, 2, 1).toEpochDay

  // The first unscaled numbers that fit 64 bits, 32 bits too, 64 bits only again, and neither.
  private val FirstBeyond: Seq[BigInteger] = {
    val starts = Seq(31, 63).map(BigInteger.ONE.shiftLeft(_))
    starts.reverse.map(_.negate) ++ starts
  }

  /** Conditions on `column` of which one is true of each of its values that is a key. */
  def apply(
      column: Attribute,
      keys: ColumnKeys,
      most: Int,
      skipping: Skipping
  ): Seq[Expression] = {
    def ranges(most: Int) = keys.ranges(most).flatMap { case (low, high) =>
      OrderPreservingCast.inverse(low, high, column.dataType)
    }
    def fewRanges = ranges(math.min(most, FewRanges))
    skipping match {
      case ByRanges =>
        val (ints, others) =
          ranges(most).flatMap(withoutOverflow(column.dataType, _)).map(withOldDates).partition(mayBeInt)
        ints.map(between(column, _)) ++ others.map { range =>
          if (ints.isEmpty) between(column, range) else And(beyondInts(column, range), between(column, range))
        }
      case ByTimesOrMillis =>
        val times =
          ranges(most).map(withOldDates).map(withMore(_, DateTimeConstants.MICROS_PER_MILLIS))
        (times ++ inMillis(times)).map(between(column, _))
      case ByTimes => fewRanges.map(range => between(column, withMore(range, MostOffset)))
      case ByValues =>
        val values = keys.literals(MostValues).toSeq.flatten.flatMap { key =>
          OrderPreservingCast.inverse(key, key, column.dataType).map(_._1)
        }
        if (values.size > 1 && !isTimestamp(column.dataType) && !values.exists(isOld)) Seq(In(column, values))
        else fewRanges.map(range => between(column, withOldDates(range)))
    }
  }

  // A day of the old calendar that Spark has no date for lies between two of Spark's. Clocks are set back
  // by less than a day.
  private def withOldDates(range: (Literal, Literal)): (Literal, Literal) = {
    val day = if (range._1.dataType == DateType) 1L else DateTimeConstants.MICROS_PER_DAY
    if (isOld(range._1)) withMore(range, day) else range
  }

  private def isOld(literal: Literal): Boolean = literal.value match {
    case day: Int if literal.dataType == DateType => day < GregorianDay
    case micros: Long if literal.dataType == TimestampType =>
      micros < StandardTimeDay * DateTimeConstants.MICROS_PER_DAY
    case _ => false
  }

  /** A range of dates or times that begins so much earlier and ends so much later. */
  private def withMore(range: (Literal, Literal), more: Long): (Literal, Literal) = {
    def moved(literal: Literal, by: Long) = (literal.value: @unchecked) match {
      case day: Int => Literal(Ints.saturatedCast(day + by), literal.dataType)
      case micros: Long => Literal(saturatedSum(micros, by), literal.dataType)
    }
    (moved(range._1, -more), moved(range._2, more))
  }

  /** A range that has all times of `ranges` as numbers of milliseconds. In microseconds that is January or February
    * 1970, of which few files have values.
    */
  private def inMillis(ranges: Seq[(Literal, Literal)]): Option[(Literal, Literal)] = {
    def millis(literal: Literal) =
      Math.floorDiv(literal.value.asInstanceOf[Long], DateTimeConstants.MICROS_PER_MILLIS)
    if (ranges.isEmpty) None
    else {
      val dataType = ranges.head._1.dataType
      Some((
        Literal(ranges.map(range => millis(range._1)).min, dataType),
        Literal(ranges.map(range => millis(range._2)).max + 1, dataType)
      ))
    }
  }

  private def saturatedSum(
      a: Long,
      b: Long
  ): Long = (BigInt(a) + b).max(BigInt(Long.MinValue)).min(BigInt(Long.MaxValue)).toLong

  /** Files of a BIGINT column may have INTs, and of an OR of which one side can't be an INT Spark makes no condition
    * for them; it takes this instead of the range.
    */
  private def beyondInts(column: Attribute, range: (Literal, Literal)): Expression =
    if (range._1.value.asInstanceOf[Long] > 0) GreaterThanOrEqual(column, Literal(Int.MaxValue.toLong))
    else LessThanOrEqual(column, Literal(Int.MinValue.toLong))

  private def mayBeInt(range: (Literal, Literal)): Boolean = range match {
    case (Literal(low: Long, LongType), Literal(high: Long, _)) => low <= Int.MaxValue && high >= Int.MinValue
    case _ => true
  }

  /** The range in parts of which both ends fit the same number of bits.
    *
    * Files may store a decimal with fewer digits than the table, as INT32 or INT64, and Parquet's reader then compares
    * what is left of an end in so many bits. A part that fits nowhere in a file matches nothing in it.
    */
  private def withoutOverflow(dataType: DataType, range: (Literal, Literal)): Seq[(Literal, Literal)] =
    dataType match {
      case decimal: DecimalType =>
        def unscaled(literal: Literal) =
          literal.value.asInstanceOf[Decimal].toJavaBigDecimal.setScale(decimal.scale).unscaledValue
        def literal(unscaled: BigInteger) =
          Literal(Decimal(new BigDecimal(unscaled, decimal.scale), decimal.precision, decimal.scale), decimal)
        val (low, high) = (unscaled(range._1), unscaled(range._2))
        val starts = FirstBeyond.filter(each => low.compareTo(each) < 0 && each.compareTo(high) <= 0)
        (low +: starts).zip(starts.map(_.subtract(BigInteger.ONE)) :+ high)
          .map { case (from, until) => (literal(from), literal(until)) }
      case _ => Seq(range)
    }

  // Spark gives ORC a range for each.
  private def isTimestamp(dataType: DataType): Boolean = dataType == TimestampType ||
    dataType == TimestampNTZType

  private def between(column: Attribute, range: (Literal, Literal)): Expression = range match {
    // For an equality Iceberg asks a file's bloom filter, and fails where the file's numbers are shorter.
    case (low, high) if low == high && !low.dataType.isInstanceOf[DecimalType] => EqualTo(column, low)
    case (low, high) => And(GreaterThanOrEqual(column, low), LessThanOrEqual(column, high))
  }
}
