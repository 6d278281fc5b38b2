package io.adaptivespark.filter

import scala.util.Random

/** Random SQL conditions over typed, nullable columns with extreme values; some throw under ANSI. */
final class RandomCondition(seed: Long) {
  private val random = new Random(seed)

  /** One to five conjuncts, each a tree of up to eight predicates. */
  def next(): String = Seq.fill(1 + random.nextInt(5))(tree(3)).mkString(" AND ")

  private def tree(depth: Int): String = random.nextInt(if (depth == 0) 1 else 6) match {
    case 0 | 1 => predicate()
    case 2 => s"NOT (${tree(depth - 1)})"
    case 3 => s"(${tree(depth - 1)} AND ${tree(depth - 1)})"
    case _ => s"(${tree(depth - 1)} OR ${tree(depth - 1)})"
  }

  private def predicate(): String = random.nextInt(16) match {
    case 0 | 1 | 2 => s"${number()} ${comparison()} ${constant()}"
    case 3 => s"${number()} ${comparison()} ${number()}"
    case 4 | 5 => s"s LIKE ${of("'a%'", "'%b%'", "'%c'", "'a_c'", "'%a%c%'", "'%'", "''")}"
    case 6 => s"s RLIKE '^[a-z]+${of("", "c", "1")}$$'"
    case 7 => s"${of(RandomCondition.Columns: _*)} IS ${of("", "NOT")} NULL"
    case 8 => s"${integer()} IN (0, 1, ${of("3", "7", "NULL")})"
    case 9 => s"dt ${comparison()} DATE '2020-0${1 + random.nextInt(9)}-01'"
    case 10 => s"upper(s) ${comparison()} 'AB'"
    case 11 => s"length(s) ${comparison()} ${of("1", "2", "3")}"
    case 12 =>
      of("o", "NOT o", "x = X'61'", "isnan(d)", "coalesce(i, 1) > 0", "CASE WHEN o THEN i > 0 ELSE l > 0 END")
    case 13 => s"${integer()} ${of("/", "%", "+", "*", "-")} ${integer()} > 1"
    case 14 => s"CAST(s AS ${of("INT", "DATE", "DOUBLE", "BOOLEAN")}) IS NOT NULL"
    case 15 => of(
        "i <> 0 AND l / i > 1",
        "s = '12' AND CAST(s AS INT) = 12",
        "n * n > 0",
        "abs(i) > 1",
        "m * 1000000 > n"
      )
  }

  private def number(): String = of("b", "h", "i", "l", "f", "d", "m", "n")
  private def integer(): String = of("b", "h", "i", "l")
  private def comparison(): String = of("<", "<=", "=", "<>", ">", ">=", "<=>")
  private def constant(): String = of("0", "1", "3", "-1", "1.5", "CAST('NaN' AS DOUBLE)", "NULL", "-0.0D")
  private def of(choices: String*): String = choices(random.nextInt(choices.size))
}

object RandomCondition {
  val Columns: Seq[String] = Seq("b", "h", "i", "l", "f", "d", "m", "n", "s", "x", "o", "dt")

  /** A select list of all columns for `spark.range`: extremes, a fifth nulls. */
  def table: Seq[String] = {
    val values = Seq(
      "-128Y, -1Y, 0Y, 1Y, 2Y, 3Y, 127Y",
      "-32768S, -7S, 0S, 1S, 5S, 32767S",
      "-2147483648, -5, -1, 0, 1, 2, 3, 7, 2147483647",
      "-9223372036854775808L, -9L, 0L, 1L, 4L, 1000000000000L, 9223372036854775807L",
      "float('NaN'), float('inf'), -0.0F, 0.0F, 1.5F, -2.25F",
      "double('NaN'), double('-inf'), -0.0D, 0.0D, 0.5D, 3.75D, 1e300D",
      "-99999999.99BD, 0.00BD, 1.50BD, 99999999.99BD",
      "cast(-1e31 AS DECIMAL(38,6)), 0BD, 2.000001BD, cast(9e31 AS DECIMAL(38,6))",
      "'', 'a', 'ab', 'abc', 'b%c', '12', '-3', '2020-02-30', 'ä', 'A b', '7 '",
      "X'', X'61', X'00FF'",
      "true, false",
      "DATE '0001-01-01', DATE '1970-01-01', DATE '2020-02-29', DATE '2020-05-05', DATE '9999-12-31'"
    )
    "id" +: Columns.zip(values).zipWithIndex.map { case ((name, of), k) =>
      val options = s"array($of, null)"
      s"get($options, cast(pmod(hash(id, $k), size($options)) AS INT)) AS $name"
    }
  }
}
