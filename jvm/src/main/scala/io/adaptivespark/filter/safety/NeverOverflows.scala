package io.adaptivespark.filter.safety

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.adaptivespark.shim.EvalModeShim

/** Arithmetic that neither overflows nor divides by zero with an error.
  *
  * Outside of ANSI mode an overflow wraps or is null, and a division by zero is null. In ANSI mode both
  * have to be impossible: by the result's type, the operands' ranges, or a literal divisor.
  */
private[adaptivespark] object NeverOverflows {

  def apply(expression: Expression): Boolean = expression match {
    case a @ (_: Add | _: Subtract | _: Multiply) => sumFits(a.asInstanceOf[BinaryArithmetic])
    case d @ (_: Divide | _: Remainder | _: Pmod | _: IntegralDivide) =>
      val division = d.asInstanceOf[BinaryArithmetic]
      isNumeric(division.left) && quotientFits(division) &&
      (!EvalModeShim.isAnsi(division) || divides(division))
    case UnaryMinus(child, failOnError) => isNumeric(child) && (!failOnError || isSymmetric(child))
    case Abs(child, failOnError) => isNumeric(child) && (!failOnError || isSymmetric(child))
    // To the left of the point, a rounded decimal may have a digit too many.
    case round @ (_: Round | _: BRound) =>
      literal(round.children(1)).exists(scale => scale >= 0 && scale <= MaxDigits)
    case ceil: Ceil => ceil.child.dataType.isInstanceOf[DecimalType]
    case floor: Floor => floor.child.dataType.isInstanceOf[DecimalType]
    case _ => false
  }

  private def sumFits(sum: BinaryArithmetic): Boolean = isNumeric(sum) &&
    (!EvalModeShim.isAnsi(sum) || {
      (sum.left.dataType, sum.right.dataType) match {
        case (l: DecimalType, r: DecimalType) if sum.isInstanceOf[Multiply] =>
          l.precision + r.precision + 1 <= MaxDigits
        case (l: DecimalType, r: DecimalType) =>
          (l.precision - l.scale).max(r.precision - r.scale) + l.scale.max(r.scale) + 1 <= MaxDigits
        case (FloatType | DoubleType, _) => true
        case _ => IntegralRange.fits(sum)
      }
    })

  // BigDecimal finds a remainder through the quotient, and throws if that has more digits than it may keep.
  private def quotientFits(division: BinaryArithmetic): Boolean =
    (division, division.left.dataType, division.right.dataType) match {
      case (_: Divide, _, _) => true
      case (_, l: DecimalType, r: DecimalType) => l.precision - l.scale + r.scale <= MaxDigits
      case _ => true
    }

  /** True if the divisor is a literal by which every value can be divided. */
  private def divides(division: BinaryArithmetic): Boolean = literal(division.right).exists(_ != 0) &&
    ((division, division.left.dataType, division.right.dataType) match {
      case (_: Divide, l: DecimalType, r: DecimalType) =>
        l.precision - l.scale + r.scale + (l.scale + r.precision + 1).max(6) <= MaxDigits
      case (_, _: DecimalType, _) => false
      case (_: IntegralDivide, _, _) => literal(division.right).exists(_ != -1)
      case _ => true
    })

  private val MaxDigits = DecimalType.MAX_PRECISION

  private def isNumeric(expression: Expression): Boolean = expression.dataType.isInstanceOf[NumericType]

  /** True if every value of `expression` has a negative. */
  private def isSymmetric(expression: Expression): Boolean = expression.dataType match {
    case ByteType | ShortType | IntegerType | LongType => IntegralRange.fits(UnaryMinus(expression))
    case _ => true
  }

  private def literal(expression: Expression): Option[BigDecimal] = expression match {
    case Literal(value: Decimal, _) => Some(value.toBigDecimal)
    case Literal(value: Double, DoubleType) if !value.isNaN && !value.isInfinite => Some(BigDecimal(value))
    case Literal(value: Float, FloatType) if !value.isNaN && !value.isInfinite =>
      Some(BigDecimal(value.toDouble))
    case Literal(value: Number, ByteType | ShortType | IntegerType | LongType) =>
      Some(BigDecimal(value.longValue))
    case _ => None
  }
}
