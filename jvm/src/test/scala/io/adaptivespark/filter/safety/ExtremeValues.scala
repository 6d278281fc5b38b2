package io.adaptivespark.filter.safety

/** A table of typed columns whose values are at the ends of their types, trip parsers, or are
  * equal only in SQL; some are null.
  */
object ExtremeValues {
  private val values: Seq[(String, String)] = Seq(
    "b" -> "-128Y, -1Y, 0Y, 1Y, 2Y, 3Y, 127Y",
    "h" -> "-32768S, -7S, 0S, 1S, 5S, 32767S",
    "i" -> "-2147483648, -5, -1, 0, 1, 2, 3, 7, 2147483647",
    "l" -> "-9223372036854775808L, -9L, 0L, 1L, 4L, 1000000000000L, 9223372036854775807L",
    "f" -> "float('NaN'), float('inf'), -0.0F, 0.0F, 1.5F, -2.25F",
    "d" -> "double('NaN'), double('-inf'), -0.0D, 0.0D, 0.5D, 3.75D, 1e300D",
    "m" -> "-99999999.99BD, 0.00BD, 1.50BD, 99999999.99BD",
    "n" -> "cast(-1e31 AS DECIMAL(38,6)), 0BD, 2.000001BD, cast(9e31 AS DECIMAL(38,6))",
    "s" -> "'', 'a', 'ab', 'abc', 'b%c', '12', '-3', '2020-02-30', 'ä', 'A b', '7 '",
    "x" -> "X'', X'61', X'00FF'",
    "o" -> "true, false",
    "dt" -> "DATE '0001-01-01', DATE '1970-01-01', DATE '2020-02-29', DATE '2020-05-05', DATE '9999-12-31'",
    "ts" ->
      "TIMESTAMP '0001-01-01 00:00:00', TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMP '2020-02-29 12:30:00'",
    "tn" ->
      "TIMESTAMP_NTZ '1970-01-01 00:00:00', TIMESTAMP_NTZ '2020-05-05 05:05:05.5', TIMESTAMP_NTZ '9999-12-31 23:59:59'",
    "a" -> "array(), array(1, null, 2), array(2147483647, 0), array(cast(null AS INT))",
    "p" ->
      "named_struct('k', 1, 'v', 'a'), named_struct('k', cast(null AS INT), 'v', 'ab'), named_struct('k', 3, 'v', cast(null AS STRING))",
    "mp" -> "map('a', 1, 'b', null), map('b', 7)"
  )

  def columns: IndexedSeq[String] = values.map(_._1).toVector

  /** A select list of `id` and all columns for `spark.range`. */
  def selected: Seq[String] = "id" +: values.zipWithIndex.map { case ((name, of), k) =>
    val options = s"array($of, null)"
    s"get($options, cast(pmod(hash(id, $k), size($options)) AS INT)) AS $name"
  }
}
