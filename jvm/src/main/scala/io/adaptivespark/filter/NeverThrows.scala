package io.adaptivespark.filter

import java.util.regex.Pattern

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.execution.{ExecSubqueryExpression, InSubqueryExec}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The allow-list of expressions that evaluate without an error on every input. Whatever is not listed may throw: `Expression.throwable` is set by
  * too few expressions to be relied upon.
  */
object NeverThrows {

  /** Whether no row can make `expression`, its children included, throw. */
  def apply(expression: Expression): Boolean = itself(expression) && expression.children.forall(apply)

  private def itself(expression: Expression): Boolean = expression match {
    case _: Attribute | _: BoundReference | _: Literal => true
    case _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: IsNaN | _: AtLeastNNonNulls => true
    case _: EqualTo | _: EqualNullSafe | _: LessThan | _: LessThanOrEqual | _: GreaterThan | _: GreaterThanOrEqual =>
      true
    case _: In | _: InSet | _: Coalesce | _: If | _: CaseWhen | _: NaNvl | _: Least | _: Greatest => true
    case _: KnownNotNull | _: KnownFloatingPointNormalized | _: NormalizeNaNAndZero | _: GetStructField =>
      true
    case _: StartsWith | _: EndsWith | _: Contains | _: Upper | _: Lower | _: Length | _: OctetLength | _: Substring =>
      true
    case _: StringTrim | _: StringTrimLeft | _: StringTrimRight => true
    case _: Year | _: Quarter | _: Month | _: DayOfMonth | _: DayOfWeek | _: WeekDay | _: DayOfYear | _: WeekOfYear =>
      true
    case _: Hour | _: Minute | _: Second | _: DateDiff => true
    case _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor | _: BitwiseNot | _: Murmur3Hash | _: XxHash64 | _: BloomFilterMightContain =>
      true
    case _: InSubqueryExec | _: ExecSubqueryExpression => true
    case like: Like =>
      literal(like.right).exists(p => Try(StringUtils.escapeLikeRegex(p, like.escapeChar)).isSuccess)
    case rlike: RLike => literal(rlike.right).exists(matchesInConstantStack)
    case _: Add | _: Subtract | _: Multiply => neverOverflows(expression.asInstanceOf[BinaryArithmetic])
    case _: Divide | _: Remainder => isNumeric(expression.dataType) &&
      !FilterShim.isAnsi(expression.asInstanceOf[BinaryArithmetic])
    case UnaryMinus(child, failOnError) => isNumeric(child.dataType) && !failOnError
    case Abs(child, failOnError) => isNumeric(child.dataType) && !failOnError
    case cast: Cast => castNeverThrows(cast.child.dataType, cast.dataType, cast.evalMode)
    case _ => false
  }

  private def neverOverflows(arithmetic: BinaryArithmetic): Boolean = arithmetic.left.dataType match {
    case FloatType | DoubleType => true
    case operand => isNumeric(operand) && !FilterShim.isAnsi(arithmetic)
  }

  private def castNeverThrows(from: DataType, to: DataType, mode: EvalMode.Value): Boolean =
    (from, to) match {
      case (f, t) if f == t => true
      case (_: TimestampType | _: TimestampNTZType, _: DateType) => true
      case (f, t) if isNumeric(f) && isNumeric(t) => mode != EvalMode.ANSI || Cast.canUpCast(f, t)
      case (_, _: CharType | _: VarcharType) => false // may be checked for their length
      case (f, _: StringType) => isNumeric(f) || f == BooleanType || f == DateType
      case (_: StringType, t) => mode != EvalMode.ANSI && (isNumeric(t) || t == BooleanType || t == DateType)
      case (BooleanType, t) => mode != EvalMode.ANSI && isNumeric(t)
      case (f, BooleanType) => mode != EvalMode.ANSI && isNumeric(f)
      case _ => false
    }

  private def isNumeric(dataType: DataType): Boolean = dataType.isInstanceOf[NumericType]

  // A repeated group, or atom of varying width, makes java.util.regex recurse once a repetition: a long string may overflow the stack.
  private def matchesInConstantStack(pattern: String): Boolean =
    RepeatedGroup.findFirstIn(pattern).isEmpty && Try(Pattern.compile(pattern)).isSuccess

  private val RepeatedGroup = """\)[*+{]|\{|\\[RX]""".r

  private def literal(expression: Expression): Option[String] = expression match {
    case Literal(text: UTF8String, _: StringType) => Some(text.toString)
    case _ => None
  }
}
