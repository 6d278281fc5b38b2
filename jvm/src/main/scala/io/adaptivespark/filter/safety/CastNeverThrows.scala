package io.adaptivespark.filter.safety

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Casts between plain types that evaluate without an error on every value. */
private[adaptivespark] object CastNeverThrows {

  def apply(from: DataType, to: DataType, mode: EvalMode.Value): Boolean = {
    val ansi = mode == EvalMode.ANSI
    (from, to) match {
      case (f, t) if f == t => true
      case (ArrayType(f, _), ArrayType(t, _)) => apply(f, t, mode)
      case (StructType(fs), StructType(ts)) =>
        fs.length == ts.length && fs.zip(ts).forall { case (f, t) => apply(f.dataType, t.dataType, mode) }
      case (_, string: StringType) => string == StringType && toString(from)
      case (_: StringType, BinaryType) => true
      case (_: StringType, t) => !ansi && fromString(t)
      case (_: NumericType, FloatType | DoubleType) => true
      case (f: NumericType, t: NumericType) => !ansi || Cast.canUpCast(f, t) || truncates(f, t)
      case (_: NumericType, BooleanType) => true
      case (BooleanType, t: DecimalType) => !ansi || t.precision > t.scale
      case (BooleanType, _: NumericType) => true
      // Only from a timestamp: the other way, dates far from now overflow.
      case (TimestampType | TimestampNTZType, DateType) => true
      case (TimestampType, LongType | FloatType | DoubleType) => true
      case (TimestampType, ByteType | ShortType | IntegerType) => !ansi
      case _ => false
    }
  }

  /** True if each value of `from`, without its fraction, is a value of `to`. */
  private def truncates(from: DataType, to: DataType): Boolean = from match {
    case decimal: DecimalType => IntegralRange.ofType(to).exists { all =>
        all.high >= BigInt(10).pow((decimal.precision - decimal.scale).max(0)) - 1
      }
    case _ => false
  }

  private def toString(from: DataType): Boolean = from match {
    case BooleanType | BinaryType | TimestampType | TimestampNTZType | _: NumericType => true
    // The legacy formatter goes through the Julian calendar, where dates far from now overflow.
    case DateType => SQLConf.get.legacyTimeParserPolicy.toString != "LEGACY"
    case _ => false
  }

  private def fromString(to: DataType): Boolean = to match {
    case _: DecimalType => SafeInRelease.textAsDecimal
    case BooleanType | DateType | TimestampType | TimestampNTZType | _: NumericType => true
    case _ => false
  }
}
