package io.adaptivespark.filter.safety

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.types.StructType

import io.adaptivespark.CallsOfThisLine
import io.adaptivespark.shim.ReversedText

/** What is regarded as never throwing: to functions of Spark, by all their names, calls of them over the columns of
  * [[Schema]]. A function that has no calls in any family may throw.
  */
object NeverThrowsExamples {

  val Schema: StructType = StructType.fromDDL(
    "bo BOOLEAN, by TINYINT, sh SMALLINT, i INT, j INT, l BIGINT, l2 BIGINT, f FLOAT, d DOUBLE, d2 DOUBLE, " +
      "m DECIMAL(5,2), m2 DECIMAL(9,4), n DECIMAL(38,0), p DECIMAL(38,38), q DECIMAL(38,18), " +
      "s STRING, t STRING, " +
      "b BINARY, b2 BINARY, dt DATE, dt2 DATE, ts TIMESTAMP, ts2 TIMESTAMP, ntz TIMESTAMP_NTZ, " +
      "ym INTERVAL YEAR TO MONTH, ds INTERVAL DAY TO SECOND, " +
      "ai ARRAY<INT>, ai2 ARRAY<INT>, sa ARRAY<STRING>, " +
      "da ARRAY<DOUBLE>, aa ARRAY<ARRAY<INT>>, sta ARRAY<STRUCT<a:INT,b:STRING>>, mp MAP<STRING,INT>, " +
      "st STRUCT<a:INT,b:STRING>"
  )

  private val Families = Seq(
    PredicateExamples,
    ConversionExamples,
    StringExamples,
    DateTimeExamples,
    MathExamples,
    CollectionExamples
  )

  /** Calls that never throw in either mode. */
  val Always: Seq[(String, Seq[String])] = Families.flatMap(_.always) ++ CallsOfThisLine.more

  /** Calls that never throw outside ANSI mode. */
  val WithoutAnsi: Seq[(String, Seq[String])] = Families.flatMap(_.withoutAnsi)

  /** The names of all functions that have calls. */
  val Listed: Set[String] = (Always ++ WithoutAnsi).flatMap(_._1.split(" ")).toSet

  // in the registry since Spark 4.0, and 4.1
  private val Newer = Set("<<", ">>", ">>>", "between", "collation", "dayname", "monthname", "nullifzero") ++
    Set("try_mod", "try_to_date", "zeroifnull")

  /** Listed functions that this Spark does not have yet. */
  val Lacking: Set[String] = Newer -- FunctionRegistry.expressions.keys

  /** True if this Spark has all listed functions of a call. */
  def isOfThisSpark(call: String): Boolean =
    !Lacking.exists(name => call.contains(s"$name(") || call.contains(s" $name "))

  /** True if a call is regarded as safe on this Spark, as it is on later ones. */
  def isSafeHere(call: String, ansi: Boolean): Boolean = !throwsHere(call) &&
    (ReversedText.isSafe || call != "reverse(s)") &&
    !(CallsOfThisLine.fewer ++ (if (ansi) CallsOfThisLine.fewerUnderAnsi else Nil)).exists(name =>
      call.startsWith(s"$name(")
    )

  /** True if a call throws on this Spark, and on no later one. */
  def throwsHere(call: String): Boolean =
    !SafeInRelease.textAsDecimal && call.contains("(s AS DECIMAL") ||
      !SafeInRelease.partOfBinary && call.startsWith("substring(b,")
}

/** A family of functions: to their names, with a blank between those that have the same calls, the calls. */
private[adaptivespark] trait NeverThrowsFamily {

  /** What never throws in either mode. */
  def always: Seq[(String, Seq[String])]

  /** What never throws outside ANSI mode. */
  def withoutAnsi: Seq[(String, Seq[String])] = Nil
}
