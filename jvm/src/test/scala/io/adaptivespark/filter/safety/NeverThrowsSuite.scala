package io.adaptivespark.filter.safety

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.dsl.expressions._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{OfThisSpark, SparkSuite}

class NeverThrowsSuite extends AnyFunSuite with SparkSuite {
  private val i = Symbol("i").int
  private val s = Symbol("s").string
  private val ts = Symbol("ts").timestamp

  private lazy val table = spark.createDataFrame(
    spark.sparkContext.emptyRDD[Row],
    StructType.fromDDL(
      "i INT, j INT, l BIGINT, d DOUBLE, m DECIMAL(5,2), n DECIMAL(38,0), s STRING, " +
        "dt DATE, ts TIMESTAMP, a ARRAY<INT>" + Seq(", v VARIANT").filter(OfThisSpark.hasTypes).mkString
    )
  )

  /** Whether `condition`, as Spark's optimizer leaves it, never throws. */
  private def never(condition: String, ansi: Boolean): Boolean =
    withConf("spark.sql.ansi.enabled" -> ansi.toString) {
      val conditions = table.filter(condition).queryExecution.optimizedPlan.collect { case f: Filter =>
        f.condition
      }
      assert(conditions.nonEmpty)
      conditions.forall(NeverThrows(_))
    }

  for (
    condition <- Seq(
      "i > 3",
      "s LIKE 'a%b_c'",
      "s IN ('a', 'b')",
      "d > 1.5 AND NOT isnan(d)",
      "year(dt) = 2020",
      "coalesce(i, 0) > 1",
      "CASE WHEN i > 1 THEN s = 'a' ELSE false END",
      "CAST(i AS BIGINT) = l",
      "CAST(ts AS DATE) = dt",
      "s RLIKE '^[a-z]+$'",
      "s RLIKE '^(a|b)c?$'",
      "try_add(i, 1) = 2",
      "m * m + 1 > 3",
      "i / 2 > 1",
      "i % 2 = 0",
      "year(dt) * 100 + month(dt) = 202001",
      "CAST(i AS BIGINT) + 1 > l"
    ) ++ Seq("v IS NULL").filter(_ => OfThisSpark.hasTypes("variant"))
  )
    test(s"never throws, ANSI or not: $condition") {
      assert(never(condition, ansi = true) && never(condition, ansi = false))
    }

  for (
    condition <- Seq(
      "i + 1 > 3",
      "n * n > 3",
      "n + 1 > 3",
      "i / j > 1",
      "i % j = 0",
      "l div -1 = 3",
      "CAST(s AS INT) = 3",
      "-i > 3",
      "abs(i) = 3",
      "CAST(l AS INT) = 3"
    )
  )
    test(s"may throw under ANSI only: $condition") {
      assert(!never(condition, ansi = true) && never(condition, ansi = false))
    }

  for (
    condition <- Seq(
      "s RLIKE '(a|b)*c'",
      "raise_error('no') IS NULL",
      "element_at(array(1, 2), i) = 1",
      "try_element_at(a, -2147483648) = 1",
      "make_date(i, i, i) = dt",
      "s LIKE s",
      // More stack than a task has.
      "s RLIKE '(?x)(a|b) *c'",
      "s RLIKE '(a|b)\\\\Q\\\\E*c'",
      "s RLIKE '(a|b){9}c'",
      "s RLIKE '.{1,}c'",
      s"s RLIKE '${"a?" * 500}'",
      s"s LIKE '${"_%" * 500}a'",
      // More memory than an executor has.
      "repeat(s, i) = 'a'",
      "space(i) = ''",
      "lpad(s, i, ' ') = 'a'",
      "lpad(s, 2000000000, ' ') = 'a'",
      "rpad(s, -2147483648, ' ') = 'a'",
      "replace(s, 'a', s) = 'a'",
      "concat_ws(s, split(s, '')) = 'a'",
      "array_repeat(i, i) = a",
      // Quotients of more digits than BigDecimal keeps.
      "try_mod(n, m) = 1",
      // Code of their own.
      "s COLLATE UNICODE_CI = 'a'",
      "s COLLATE UTF8_LCASE LIKE 'a%b_'",
      "variant_get(v, '$.a', 'int') = 1",
      "regexp_extract(s, '(a)', 2) = 'a'",
      "regexp_replace(s, 'a', '$1') = 'a'",
      "date_trunc('month', ts) = ts",
      "trunc(dt, 'quarter') = dt",
      "date_format(ts, 'YYYY') = 'a'",
      "exists(a, x -> x + 1 > 1)"
    ).filter(condition => OfThisSpark.hasTypes(condition) && NeverThrowsExamples.isOfThisSpark(condition))
  )
    test(s"may throw: $condition") {
      assert(!never(condition, ansi = true))
    }

  test("an expression throws if any of its children may") {
    assert(!NeverThrows(IsNull(Cast(s, IntegerType, None, EvalMode.ANSI))))
    assert(NeverThrows(IsNull(Cast(s, IntegerType, None, EvalMode.TRY))))
  }

  test("doubles do not overflow under ANSI") {
    assert(NeverThrows(Add(Symbol("x").double, Literal(1.0))) &&
      !NeverThrows(Divide(Symbol("x").double, Symbol("y").double)))
  }

  test("a user's function may throw") {
    assert(!NeverThrows(ScalaUDF((x: Int) => x, IntegerType, Seq(i))))
  }

  test("a call that is known not to be null by its guard alone may throw") {
    assert(!NeverThrows(Length(KnownNotNull(s))) && NeverThrows(Length(KnownNotNull(s.notNull))))
  }

  test("dates and timestamps may not be printed by the legacy formatters") {
    withConf("spark.sql.legacy.timeParserPolicy" -> "LEGACY") {
      assert(!never("CAST(dt AS STRING) > '2020'", ansi = false))
      assert(!never("date_format(ts, 'yyyy') > '2020'", ansi = false))
    }
    assert(never("CAST(dt AS STRING) > '2020'", ansi = false))
    assert(never("date_format(ts, 'yyyy') > '2020'", ansi = false))
  }

  test("far dates overflow as timestamps") {
    assert(!NeverThrows(Cast(Symbol("d").date, TimestampType)) && NeverThrows(Cast(ts, DateType)))
  }
}
