package io.adaptivespark.join.keys

import java.math.{BigDecimal, RoundingMode}

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Expression, Literal}
import org.apache.spark.sql.types._

/** A column under casts that keep every value and its order, so that keys can be taken back to the column's type.
  *
  * Others are not followed: a long as a double loses bits, a date as a timestamp depends on the session's time zone,
  * text is parsed, narrowing throws.
  */
private[adaptivespark] object OrderPreservingCast {

  /** The column whose values `key` has. */
  @tailrec def unapply(key: Expression): Option[Attribute] = key match {
    case column: Attribute => Some(column)
    case cast: Cast if keeps(cast.child.dataType, cast.dataType) => unapply(cast.child)
    case _ => None
  }

  private def keeps(from: DataType, to: DataType): Boolean = (from, to) match {
    case (Integral(f), Integral(t)) => f.defaultSize <= t.defaultSize
    // of a scale below zero it would round
    case (Integral(f), t: DecimalType) =>
      t.scale >= 0 && t.precision - t.scale >= bounds(f)._2.toString.length
    case (f: DecimalType, t: DecimalType) =>
      t.scale >= f.scale && t.precision - t.scale >= f.precision - f.scale
    case _ => false
  }

  private object Integral {
    def unapply(dataType: DataType): Option[DataType] = Some(dataType).filter(bounds.isDefinedAt)
  }

  private val bounds: PartialFunction[DataType, (Long, Long)] = {
    case ByteType => (Byte.MinValue, Byte.MaxValue)
    case ShortType => (Short.MinValue, Short.MaxValue)
    case IntegerType => (Int.MinValue, Int.MaxValue)
    case LongType => (Long.MinValue, Long.MaxValue)
  }

  /** The values of `column` that lie between two keys; none where there can't be any.
    *
    * @param low,high
    *   literals of the key's type, both included
    */
  def inverse(low: Literal, high: Literal, column: DataType): Option[(Literal, Literal)] =
    if (low.dataType == column) Some((low, high))
    else for {
      (from, until) <- Some((number(low), number(high)))
      (least, most) = limits(column)
      scale = scaleOf(column)
      first = from.setScale(scale, RoundingMode.CEILING).max(least)
      last = until.setScale(scale, RoundingMode.FLOOR).min(most)
      if first.compareTo(last) <= 0
    } yield (literal(first, column), literal(last, column))

  private def number(literal: Literal): BigDecimal = (literal.value: @unchecked) match {
    case decimal: Decimal => decimal.toJavaBigDecimal
    case integral: Number => BigDecimal.valueOf(integral.longValue)
  }

  private def scaleOf(column: DataType): Int = column match {
    case decimal: DecimalType => decimal.scale
    case _ => 0
  }

  private def limits(column: DataType): (BigDecimal, BigDecimal) = column match {
    case decimal: DecimalType =>
      val most =
        BigDecimal.TEN.pow(decimal.precision).subtract(BigDecimal.ONE).scaleByPowerOfTen(-decimal.scale)
      (most.negate, most)
    case integral =>
      val (least, most) = bounds(integral)
      (BigDecimal.valueOf(least), BigDecimal.valueOf(most))
  }

  private def literal(value: BigDecimal, column: DataType): Literal = Literal(
    column match {
      case decimal: DecimalType => Decimal(value, decimal.precision, decimal.scale)
      case ByteType => value.byteValueExact
      case ShortType => value.shortValueExact
      case IntegerType => value.intValueExact
      case _ => value.longValueExact
    },
    column
  )
}
