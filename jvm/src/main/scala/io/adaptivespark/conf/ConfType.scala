package io.adaptivespark.conf

import scala.util.Try

import com.fasterxml.jackson.databind.{DeserializationFeature, ObjectMapper}
import org.apache.spark.network.util.JavaUtils

import io.adaptivespark.shim.JavaCollections._

/** The texts that a configuration key accepts, and what each of them means.
  *
  * Pattern, bounds and values are exported to `configs.json`, by which the dbt adapter accepts and
  * refuses the same texts before Spark sees them. A pattern therefore keeps to what Java and Python read
  * alike: no `\d`, flags or anchors.
  *
  * @param name
  *   the type's name in `docs/reference/configs.md`
  * @param allowed
  *   the accepted texts in words, as the end of "It must be …"
  * @param pattern
  *   regular expression that every accepted text matches as a whole; none for JSON
  * @param min
  *   lowest number that is accepted, of types that have numbers
  * @param max
  *   highest number that is accepted
  * @param values
  *   all accepted texts of an enumeration
  * @param read
  *   the value of a text that matches the pattern; none if it is not accepted
  */
final case class ConfType[T] private (
    name: String,
    allowed: String,
    pattern: Option[String] = None,
    min: Option[BigDecimal] = None,
    max: Option[BigDecimal] = None,
    values: Seq[String] = Nil
)(read: String => Option[T]) {

  /** The value of `text`, blanks around it aside; none if it is not accepted. */
  def parse(text: String): Option[T] = Some(text.trim).filter(t => pattern.forall(t.matches)).flatMap(read)
}

object ConfType {
  // 19 digits, as a BIGINT has. Longer numbers are refused before anything computes with them.
  private val Whole = "[+-]?[0-9]{1,19}"
  private val Decimal = """[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"""
  private val Auto = "[aA][uU][tT][oO]"

  val boolean: ConfType[Boolean] =
    ConfType("boolean", "true or false", Some("[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]"))(text =>
      Some(text.equalsIgnoreCase("true"))
    )

  val text: ConfType[String] = ConfType("string", "a text")(Some(_))

  def oneOf(values: String*): ConfType[String] =
    ConfType("enum", values.mkString("one of ", ", ", ""), values = values)(Some(_).filter(values.contains))

  def int(min: Int, max: Int): ConfType[Int] = whole("int", "", Whole, min, max)(_.toInt)

  def long(min: Long, max: Long): ConfType[Long] = whole("int", "", Whole, min, max)(_.toLong)

  /** A number of rows, or `auto`. */
  val rate: ConfType[Rate] = {
    val numbers = whole("rate", "auto or ", s"$Auto|$Whole", 1, Int.MaxValue)(rows => Rate(Some(rows.toInt)))
    numbers.copy()(text => if (text.matches(Auto)) Some(Rate.auto) else numbers.parse(text))
  }

  def double(min: Double, max: Double): ConfType[Double] =
    ConfType("double", s"a number in [${short(min)}, ${short(max)}]", Some(Decimal), Some(min), Some(max))(
      text =>
        Some(text.toDouble).filter(found => min <= found && found <= max)
    )

  /** Bytes, as Spark writes them: 4096, 512k, 256m, 1g. */
  val bytes: ConfType[Long] = {
    // So many digits that the number of bytes is below 2 ** 63.
    val digits = Seq(
      "[bB]?" -> 18,
      "[kK][bB]?" -> 15,
      "[mM][bB]?" -> 12,
      "[gG][bB]?" -> 9,
      "[tT][bB]?" -> 6,
      "[pP][bB]?" -> 3
    )
    val pattern = digits.map { case (unit, most) => s"[0-9]{1,$most}$unit" }.mkString("|")
    ConfType("size", "a number of bytes such as 512k, 256m or 1g", Some(pattern))(text =>
      Some(JavaUtils.byteStringAsBytes(text))
    )
  }

  /** Names of columns as a JSON list; none if the text is empty. */
  val names: ConfType[Option[Seq[String]]] = ConfType("names", "a JSON list of names")(text =>
    if (text.isEmpty) Some(None)
    else Try(json.readTree(text)).toOption.filter(_.isArray).map(_.elements.asScala.toVector)
      .filter(_.forall(_.isTextual)).map(names => Some(names.map(_.asText)))
  )

  // Without it, what follows the list would not count.
  private lazy val json = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)

  private def whole[T](name: String, alternative: String, pattern: String, min: Long, max: Long)(
      value: Long => T
  ): ConfType[T] =
    ConfType(name, s"${alternative}a whole number in [$min, $max]", Some(pattern), Some(min), Some(max))(
      text =>
        Some(BigInt(text)).filter(found => min <= found && found <= max).map(found => value(found.toLong))
    )

  private def short(number: Double): String = BigDecimal(number).bigDecimal.stripTrailingZeros.toPlainString
}
