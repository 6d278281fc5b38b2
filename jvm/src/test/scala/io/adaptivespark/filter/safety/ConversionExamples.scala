package io.adaptivespark.filter.safety

/** Casts, and functions that stand for them. */
private[adaptivespark] object ConversionExamples extends NeverThrowsFamily {
  private val Printable = Seq("bo", "by", "l", "f", "d", "n", "p", "b", "dt", "ts", "ntz")

  private val Parsable =
    Seq("BOOLEAN", "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(38,38)") ++
      Seq("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")

  override val always: Seq[(String, Seq[String])] = Seq(
    "string" -> Printable.map(column => s"CAST($column AS STRING)"),
    "try_to_date try_to_timestamp" ->
      (Parsable.map(t => s"try_cast(s AS $t)") ++ Seq("try_to_date(s)", "try_to_timestamp(s)")),
    "cast boolean tinyint smallint int bigint float double decimal binary date timestamp" -> Seq(
      "CAST(i AS BIGINT)",
      "double(i)",
      "float(l)",
      "CAST(l AS DECIMAL(20,0))",
      "CAST(m AS INT)",
      "CAST(m AS DECIMAL(10,4))",
      "CAST(n AS DOUBLE)",
      "CAST(bo AS INT)",
      "CAST(bo AS DECIMAL(5,1))",
      "boolean(d)",
      "CAST(n AS BOOLEAN)",
      "date(ts)",
      "CAST(ntz AS DATE)",
      "bigint(ts)",
      "CAST(ts AS DOUBLE)",
      "binary(s)",
      "CAST(ai AS ARRAY<BIGINT>)",
      "CAST(ai AS ARRAY<STRING>)",
      "CAST(st AS STRUCT<a: DOUBLE, b: STRING>)",
      "try_cast(d AS INT)",
      "try_cast(n AS INT)",
      "try_cast(n AS DECIMAL(5,2))",
      "try_cast(d AS DECIMAL(10,2))",
      "try_cast(sa AS ARRAY<INT>)"
    )
  )

  override val withoutAnsi: Seq[(String, Seq[String])] = Seq(
    "to_date to_timestamp to_timestamp_ltz to_timestamp_ntz" ->
      Seq("to_date(s)", "to_timestamp(s)", "to_timestamp_ltz(s)", "to_timestamp_ntz(s)"),
    "cast" -> Seq(
      "CAST(l AS INT)",
      "CAST(d AS INT)",
      "CAST(d AS TINYINT)",
      "CAST(n AS BIGINT)",
      "CAST(n AS DECIMAL(5,2))",
      "CAST(d AS DECIMAL(10,2))",
      "CAST(f AS DECIMAL(38,38))",
      "CAST(bo AS DECIMAL(1,1))",
      "CAST(ts AS INT)",
      "CAST(s AS INT)",
      "CAST(s AS DOUBLE)",
      "CAST(s AS DECIMAL(10,2))",
      "CAST(s AS DATE)",
      "CAST(s AS TIMESTAMP)",
      "CAST(s AS TIMESTAMP_NTZ)",
      "CAST(s AS BOOLEAN)",
      "CAST(sa AS ARRAY<DOUBLE>)"
    )
  )
}
