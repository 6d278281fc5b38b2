package io.adaptivespark.filter.safety

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** The integers in [`low`, `high`]. */
private[adaptivespark] final case class IntegralRange(low: BigInt, high: BigInt) {
  def unary_- : IntegralRange = IntegralRange(-high, -low)
  def +(that: IntegralRange): IntegralRange = IntegralRange(low + that.low, high + that.high)

  def *(that: IntegralRange): IntegralRange = {
    val corners = for (l <- Seq(low, high); r <- Seq(that.low, that.high)) yield l * r
    IntegralRange(corners.min, corners.max)
  }

  def within(that: IntegralRange): Boolean = that.low <= low && high <= that.high
}

private[adaptivespark] object IntegralRange {

  /** True if the exact result of `arithmetic` is of its type, whatever its columns hold. */
  def fits(arithmetic: Expression): Boolean =
    ofType(arithmetic.dataType).exists(all => exact(arithmetic).exists(_.within(all)))

  /** Range of the exact result of `arithmetic`, before it wraps. */
  private def exact(arithmetic: Expression): Option[IntegralRange] = arithmetic match {
    case Add(left, right, _) => both(left, right)(_ + _)
    case Subtract(left, right, _) => both(left, right)((l, r) => l + -r)
    case Multiply(left, right, _) => both(left, right)(_ * _)
    case UnaryMinus(child, _) => of(child).map(-_)
    case _ => None
  }

  private def both(left: Expression, right: Expression)(f: (IntegralRange, IntegralRange) => IntegralRange) =
    for (l <- of(left); r <- of(right)) yield f(l, r)

  /** Range of the values of `expression`. */
  private def of(expression: Expression): Option[IntegralRange] =
    ofType(expression.dataType).map { all =>
      val narrow = expression match {
        case Literal(value: Number, _) => Some(IntegralRange(value.longValue, value.longValue))
        case cast: Cast => of(cast.child).filter(_.within(all))
        case Remainder(_, Literal(divisor: Number, _), _) =>
          val most = (BigInt(divisor.longValue).abs - 1).max(0)
          Some(IntegralRange(-most, most))
        // Years that an INT of days can reach.
        case _: Year | _: YearOfWeek => Some(IntegralRange(-6000000, 6000000))
        case _: Quarter | _: Month | _: WeekOfYear => Some(IntegralRange(0, 53))
        case _: DayOfMonth | _: DayOfWeek | _: WeekDay | _: DayOfYear => Some(IntegralRange(0, 366))
        case _: Hour | _: Minute | _: Second => Some(IntegralRange(0, 60))
        case _: Length | _: OctetLength => Some(IntegralRange(0, Int.MaxValue))
        case _: BitwiseCount => Some(IntegralRange(0, 64))
        case _ => exact(expression).filter(_.within(all))
      }
      narrow.getOrElse(all)
    }

  /** All values of an integral type. */
  def ofType(dataType: DataType): Option[IntegralRange] = dataType match {
    case ByteType => Some(IntegralRange(Byte.MinValue, Byte.MaxValue))
    case ShortType => Some(IntegralRange(Short.MinValue, Short.MaxValue))
    case IntegerType => Some(IntegralRange(Int.MinValue, Int.MaxValue))
    case LongType => Some(IntegralRange(Long.MinValue, Long.MaxValue))
    case _ => None
  }
}
