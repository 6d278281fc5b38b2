package io.adaptivespark.filter.safety

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.{InSubqueryExec, ScalarSubquery}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.adaptivespark.shim.{DateNamesShim, ReversedText}

/** Allow-list of expressions that evaluate without an error on every input. An expression that is not
  * listed may throw.
  *
  * `Expression.throwable` is set by too few expressions to be relied upon. Matches are by class, so that a
  * subclass of a newer Spark is not let in by its parent.
  *
  * Errors include running out of stack or memory. A listed expression allocates at most a small multiple of
  * its input. Those that read a length from a column (`repeat`, `lpad`, `space`, `sequence`) are not
  * listed.
  */
object NeverThrows {

  /** True if no row makes `expression` or a part of it throw. */
  def apply(expression: Expression): Boolean =
    expression.children.forall(apply) &&
      (looksAtNoValue(expression) ||
        expression.children.forall(child => isPlain(child.dataType)) && itself(expression))

  /** Expressions that are safe whatever the type of their children. */
  private def looksAtNoValue(expression: Expression): Boolean = expression match {
    case _: Attribute | _: BoundReference | _: Literal | _: NamedLambdaVariable => true
    case _: IsNull | _: IsNotNull | _: GetStructField => true
    // Generated code reads its child without asking whether it is null.
    case KnownNotNull(child) => !child.nullable
    case _ => false
  }

  /** True for types whose values compare, hash and convert without an error. The others (collated strings,
    * calendar intervals, variants, times, user-defined types) bring code of their own.
    */
  private def isPlain(dataType: DataType): Boolean = dataType match {
    case NullType | BooleanType | BinaryType | DateType | TimestampType | TimestampNTZType => true
    case _: NumericType | _: YearMonthIntervalType | _: DayTimeIntervalType => true
    case string: StringType => string == StringType
    case ArrayType(element, _) => isPlain(element)
    case MapType(key, value, _) => isPlain(key) && isPlain(value)
    case StructType(fields) => fields.forall(f => isPlain(f.dataType))
    case _ => false
  }

  private def itself(expression: Expression): Boolean =
    isPredicate(expression) || isString(expression) || isDateTime(expression) || isMath(expression) ||
      isCollection(expression) || isWithin(expression) || NeverOverflows(expression)

  private def isPredicate(expression: Expression): Boolean = expression match {
    case _: And | _: Or | _: Not | _: IsNaN | _: AtLeastNNonNulls | _: In | _: InSet => true
    case _: EqualTo | _: EqualNullSafe | _: LessThan | _: LessThanOrEqual => true
    case _: GreaterThan | _: GreaterThanOrEqual => true
    case _: Coalesce | _: If | _: CaseWhen | _: NaNvl | _: Least | _: Greatest => true
    case _: KnownFloatingPointNormalized | _: NormalizeNaNAndZero => true
    case _: Droppable => true
    case _: BloomFilterMightContain | _: InSubqueryExec | _: ScalarSubquery => true
    case _ => false
  }

  private def isString(expression: Expression): Boolean = expression match {
    case _: StartsWith | _: EndsWith | _: Contains | _: StringInstr | _: StringLocate | _: FindInSet => true
    case _: Length | _: BitLength | _: OctetLength | _: Ascii | _: Chr | _: Levenshtein | _: SoundEx => true
    case _: Upper | _: Lower | _: InitCap | _: StringTranslate => true
    case part: Substring => part.str.dataType != BinaryType || SafeInRelease.partOfBinary
    case _: StringTrim | _: StringTrimLeft | _: StringTrimRight | _: StringSplitSQL => true
    case _: Hex | _: Md5 | _: Sha1 | _: Sha2 | _: Crc32 | _: Murmur3Hash | _: XxHash64 => true
    case _ => false
  }

  // Neither months nor the time zone of a timestamp: both overflow at the ends of the calendar.
  private def isDateTime(expression: Expression): Boolean = expression match {
    case _: Year | _: YearOfWeek | _: Quarter | _: Month | _: WeekOfYear => true
    case _: DayOfMonth | _: DayOfWeek | _: DayOfYear | _: WeekDay | _: LastDay => true
    case _: Hour | _: Minute | _: Second | _: SecondWithFraction => true
    case _: DateDiff | _: DateAdd | _: DateSub | _: UnixDate | _: DateFromUnixDate => true
    case name if DateNamesShim.isName(name) => true
    case _: UnixMicros | _: UnixMillis | _: UnixSeconds | _: MicrosToTimestamp => true
    case _ => false
  }

  private def isMath(expression: Expression): Boolean = expression match {
    case _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor | _: BitwiseNot | _: BitwiseCount => true
    case _: ShiftLeft | _: ShiftRight | _: ShiftRightUnsigned => true
    case _: Sqrt | _: Cbrt | _: Exp | _: Expm1 | _: Pow | _: Hypot | _: Rint | _: Signum => true
    case _: Log | _: Log2 | _: Log10 | _: Log1p | _: Logarithm | _: ToDegrees | _: ToRadians => true
    case _: Sin | _: Cos | _: Tan | _: Cot | _: Sec | _: Csc | _: Asin | _: Acos | _: Atan | _: Atan2 => true
    case _: Sinh | _: Cosh | _: Tanh | _: Asinh | _: Acosh | _: Atanh => true
    case _ => false
  }

  private def isCollection(expression: Expression): Boolean = expression match {
    case _: CreateArray | _: CreateNamedStruct | _: GetArrayStructFields | _: GetMapValue => true
    case _: Size | _: ArrayContains | _: ArrayPosition | _: ArraysOverlap | _: ArrayMin | _: ArrayMax => true
    case _: ArrayDistinct | _: ArrayUnion | _: ArrayExcept | _: ArrayIntersect | _: ArrayRemove => true
    case _: SortArray | _: Flatten | _: Concat => true
    case reverse: Reverse => reverse.dataType.isInstanceOf[ArrayType] || ReversedText.isSafe
    case _: MapKeys | _: MapValues | _: MapEntries => true
    case _: ArrayExists | _: ArrayForAll | _: ArrayFilter | _: ArrayTransform | _: LambdaFunction => true
    case _ => false
  }

  // Some releases take the lowest lengths for the highest.
  private def isLength(padded: Expression): Boolean =
    integer(padded).exists(length => length >= 0 && length <= MaxPadding)

  /** Expressions that are safe for some values of their literals. */
  private def isWithin(expression: Expression): Boolean = expression match {
    case at: GetArrayItem => !at.failOnError
    case at: ElementAt =>
      at.left.dataType.isInstanceOf[MapType] ||
      !at.failOnError && integer(at.right).exists(index => index != 0 && canBeNegated(index))
    case slice: Slice => integer(slice.start).exists(_ != 0) && integer(slice.length).exists(_ >= 0)
    case part: SubstringIndex => integer(part.countExpr).exists(canBeNegated)
    case replace: StringReplace => literal(replace.searchExpr).nonEmpty && isShort(replace.replaceExpr)
    case join: ConcatWs => join.children.headOption.exists(isShort)
    case join: ArrayJoin => isShort(join.delimiter) && join.nullReplacement.forall(isShort)
    case pad: StringLPad => isLength(pad.len) && literal(pad.pad).nonEmpty
    case pad: StringRPad => isLength(pad.len) && literal(pad.pad).nonEmpty
    case json: GetJsonObject => literal(json.path).exists(_.length <= BoundedStackRegex.MaxLength)
    case next: NextDay => !next.failOnError || literal(next.dayOfWeek).exists(isDayOfWeek)
    // A quarter before the first one that days can count overflows.
    case trunc: TruncDate => literal(trunc.format).exists(f => TruncUnits.contains(f.toLowerCase))
    case format: DateFormatClass => isDatePattern(format.right)
    case from: FromUnixTime => isDatePattern(from.format)
    case invoke: StaticInvoke => isListed(invoke)
    case cast: Cast => CastNeverThrows(cast.child.dataType, cast.dataType, cast.evalMode)
    case _ => isPattern(expression)
  }

  /** The lowest integer has no opposite, and Spark 4.0 and 4.1 count from the end by one. */
  private def canBeNegated(count: Int): Boolean = count != Int.MinValue

  private def isDayOfWeek(name: String): Boolean =
    Try(DateTimeUtils.getDayOfWeekFromString(UTF8String.fromString(name))).isSuccess

  private def isPattern(expression: Expression): Boolean = expression match {
    case like: Like => literal(like.right).exists(BoundedStackRegex.like(_, like.escapeChar))
    case likes: LikeAll => likes.patterns.forall(isLikePattern)
    case likes: LikeAny => likes.patterns.forall(isLikePattern)
    case likes: NotLikeAll => likes.patterns.forall(isLikePattern)
    case likes: NotLikeAny => likes.patterns.forall(isLikePattern)
    case rlike: RLike => literal(rlike.right).exists(BoundedStackRegex.regex)
    case split: StringSplit => literal(split.regex).exists(BoundedStackRegex.regex)
    case replace: RegExpReplace =>
      literal(replace.regexp).exists(BoundedStackRegex.regex) && integer(replace.pos).exists(_ > 0) &&
      isShort(replace.rep) && literal(replace.rep).exists(r => !r.exists("$\\".contains(_)))
    case extract @ (_: RegExpExtract | _: RegExpExtractAll | _: RegExpInStr) =>
      val group = integer(extract.children(2))
      literal(extract.children(1)).exists(p => group.exists(BoundedStackRegex.hasGroup(p, _)))
    case _ => false
  }

  private def isLikePattern(pattern: UTF8String): Boolean =
    pattern == null || BoundedStackRegex.like(pattern.toString, '\\')

  private def isListed(invoke: StaticInvoke): Boolean = {
    val method = invoke.staticObject.getName.stripSuffix("$") + "." + invoke.functionName
    StaticMethods(method) || method == ReadSidePadding && integer(invoke.arguments(1)).exists(_ <= MaxPadding)
  }

  private val Catalyst = "org.apache.spark.sql.catalyst"
  private val ReadSidePadding = s"$Catalyst.util.CharVarcharCodegenUtils.readSidePadding"

  private val StaticMethods = Set(
    "org.apache.spark.unsafe.array.ByteArrayMethods.contains",
    "org.apache.spark.unsafe.array.ByteArrayMethods.startsWith",
    "org.apache.spark.unsafe.array.ByteArrayMethods.endsWith",
    s"$Catalyst.expressions.Base64.encode",
    s"$Catalyst.expressions.ExpressionImplUtils.isLuhnNumber",
    s"$Catalyst.expressions.UrlCodec.encode",
    s"$Catalyst.expressions.json.JsonExpressionUtils.lengthOfJsonArray",
    s"$Catalyst.expressions.json.JsonExpressionUtils.jsonObjectKeys"
  )

  private val TruncUnits = Set("year", "yyyy", "yy", "month", "mon", "mm", "week")

  private val MaxPadding = 10000

  // The formatters of `LEGACY` overflow on dates and timestamps far from now.
  private def isDatePattern(pattern: Expression): Boolean =
    SQLConf.get.legacyTimeParserPolicy.toString == "CORRECTED" &&
      literal(pattern).exists(DatePattern.pattern.matcher(_).matches)

  private val DatePattern = "(?:yyyy|MM|dd|HH|mm|ss|[-/:._ ])+".r

  /** True if writing `text` once for each character read stays a bounded multiple of what is read. */
  private def isShort(text: Expression): Boolean = literal(text).exists(_.length <= 16)

  private def literal(expression: Expression): Option[String] = expression match {
    case Literal(text: UTF8String, string: StringType) if isPlain(string) => Some(text.toString)
    case _ => None
  }

  private def integer(expression: Expression): Option[Int] = expression match {
    case Literal(value: Int, IntegerType) => Some(value)
    case _ => None
  }
}
