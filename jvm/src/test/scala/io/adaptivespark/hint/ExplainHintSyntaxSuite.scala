package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.parser.ParseException
import org.scalatest.funsuite.AnyFunSuite

/** Hints that are no SQL. */
class ExplainHintSyntaxSuite extends AnyFunSuite with HintSuite {
  private val where = "FROM t WHERE a > 1 AND b < 7"
  private val options = "Options: collect_rate, calculate_rate, momentum, policy, initial_order, errors."
  private val names = "A name that is not of letters, digits and _ stands in backquotes."

  private def refusal(sql: String): String = intercept[IllegalArgumentException](spark.sql(sql)).getMessage

  private val empty =
    s"ADAPTIVE_FILTER() is no SQL. Write it without parentheses, or with options as ADAPTIVE_FILTER('momentum=0.5'). $options"
  private val unquoted =
    s"""ADAPTIVE_FILTER: "momentum=0.5" is not a quoted option. Write it as 'momentum=0.5'. $options"""
  private val off =
    "NO_ADAPTIVE_FILTER takes no arguments and no parentheses. Write /*+ NO_ADAPTIVE_FILTER */."

  for (
    (hint, sentence) <- Seq(
      "ADAPTIVE_FILTER()" -> empty,
      "adaptive_filter ( )" -> empty,
      "ADAPTIVE_FILTER(momentum=0.5)" -> unquoted,
      "ADAPTIVE_FILTER(momentum = 0.5, collect_rate=5)" -> unquoted,
      "ADAPTIVE_FILTER(momentum => 0.5)" -> unquoted,
      "ADAPTIVE_FILTER(momentum: 0.5)" -> unquoted,
      "ADAPTIVE_FILTER(momentum='0.5')" -> unquoted,
      "ADAPTIVE_FILTER momentum=0.5" -> unquoted,
      "ADAPTIVE_FILTER 'momentum=0.5'" ->
        s"""ADAPTIVE_FILTER: "'momentum=0.5'" is no SQL. Write options as ADAPTIVE_FILTER('momentum=0.5'). $options""",
      "ADAPTIVE_FILTER('momentum=0.5',)" ->
        s"""ADAPTIVE_FILTER: "'momentum=0.5'," is no SQL. Write options as ADAPTIVE_FILTER('momentum=0.5'). $options""",
      "ADAPTIVE_FILTER(,)" ->
        s"""ADAPTIVE_FILTER: "," is no SQL. Write options as ADAPTIVE_FILTER('momentum=0.5'). $options""",
      "NO_ADAPTIVE_FILTER()" -> off,
      "NO_ADAPTIVE_FILTER(momentum=0.5)" -> off,
      "FILTER_ORDER()" -> "FILTER_ORDER names no column. Write it as FILTER_ORDER(column, …).",
      "FILTER_ORDER(a,)" ->
        s"""FILTER_ORDER: "a," is no SQL. Write it as FILTER_ORDER(column, …). $names""",
      "FILTER_ORDER(first name)" ->
        s"""FILTER_ORDER: "first name" is no SQL. Write it as FILTER_ORDER(column, …). $names""",
      "FILTER_ORDER(a => 1)" ->
        s"""FILTER_ORDER: "a => 1" is no SQL. Write it as FILTER_ORDER(column, …). $names""",
      "FILTER_ORDER(a" -> s"""FILTER_ORDER: "a" is no SQL. Write it as FILTER_ORDER(column, …). $names""",
      "DYNAMIC_FILTER()" ->
        "DYNAMIC_FILTER() is no SQL. Write it as DYNAMIC_FILTER(relation, …), or without parentheses for all relations.",
      "NO_DYNAMIC_FILTER()" ->
        "NO_DYNAMIC_FILTER() is no SQL. Write it as NO_DYNAMIC_FILTER(relation, …), or without parentheses for all relations.",
      "NO_DYNAMIC_FILTER(t,,u)" ->
        s"""NO_DYNAMIC_FILTER: "t,,u" is no SQL. Write it as NO_DYNAMIC_FILTER(relation, …). $names""",
      "BROADCAST(t), ADAPTIVE_FILTER(), FILTER_ORDER(a)" -> empty,
      "FILTER_ORDER(a), ADAPTIVE_FILTER(momentum=0.5)" -> unquoted,
      "FILTER_ODER()" -> "FILTER_ODER is not a hint. Did you mean FILTER_ORDER?",
      "ADAPTIV_FILTER(momentum=0.5)" -> "ADAPTIV_FILTER is not a hint. Did you mean ADAPTIVE_FILTER?"
    )
  )
    test(s"/*+ $hint */ is explained") {
      assert(refusal(s"SELECT /*+ $hint */ a $where") == sentence)
    }

  test("the hint is found on any line of any statement, whatever characters come before it") {
    Seq(
      s"-- \uD83D\uDE00\nWITH c AS (\n  SELECT 'ö\uD83D\uDE00' x,\n a $where)\nSELECT '\uD83D\uDE00', /* \uD83D\uDE00 */ a FROM c\r\nUNION ALL SELECT\n/*+\nADAPTIVE_FILTER\n(\n)\n*/ 1, 2",
      s"CREATE TABLE unread USING parquet AS SELECT '\uD83D\uDE00' x, y FROM (SELECT /*+ ADAPTIVE_FILTER() */ a $where)",
      s"EXPLAIN SELECT /*+ ADAPTIVE_FILTER() */ a $where"
    ).foreach(sql => assert(refusal(sql) == empty, sql))
    val bound = intercept[IllegalArgumentException](
      spark.sql(
        s"SELECT /*+ ADAPTIVE_FILTER() */ a $where AND s <> :text",
        Map[String, Any]("text" -> "x")
      )
    )
    assert(bound.getMessage == empty)
  }

  test("other errors of syntax are Spark's, whatever hints stand beside them") {
    Seq(
      "SELECT /*+ ADAPTIVE_FILTER */ a FRM t WHERE",
      "SELECT /*+ ADAPTIVE_FILTER('momentum=0.5') */ a FROM t WHERE (",
      "SELECT 'ADAPTIVE_FILTER()' FROM t WHERE )",
      "SELECT /* ADAPTIVE_FILTER() */ a FROM t WHERE )",
      "SELECT a FROM t WHERE ) -- ADAPTIVE_FILTER()",
      "SELECT /*+ BROADCAST(), ADAPTIVE_FILTER */ a FROM t",
      "SELECT /*+ ADAPTIVE_FILTER, BROADCAST() */ a FROM t",
      "SELECT /*+ FILTER_ORDER(a), BROADCAST(t => 1) */ a FROM t",
      "SELECT /*+ FILTER_ORDER(a) BROADCAST() */ a FROM t",
      ")"
    ).foreach(sql => withClue(sql)(intercept[ParseException](spark.sql(sql))))
  }

  test("an error that a hint's sentence replaces is its cause") {
    val error = intercept[IllegalArgumentException](spark.sql(s"SELECT /*+ FILTER_ORDER() */ a $where"))
    assert(error.getCause.isInstanceOf[ParseException])
  }

  test("other texts are parsed as ever") {
    val parser = spark.sessionState.sqlParser
    assert(parser.parseTableIdentifier("a.b").table == "b")
    assert(parser.parseFunctionIdentifier("f").funcName == "f")
    assert(parser.parseMultipartIdentifier("a.b.c") == Seq("a", "b", "c"))
    assert(parser.parseTableSchema("a INT, b STRING").fieldNames.toSeq == Seq("a", "b"))
    assert(parser.parseDataType("INT").typeName == "integer")
    assert(parser.parseExpression("a + 1").sql == "(a + 1)")
    assert(parser.parseQuery("SELECT 1").nodeName == "Project")
  }

  test("scripts are parsed as ever") {
    // Spark 4.0 has scripts turned off, 3.5 has none.
    withConf("spark.sql.scripting.enabled" -> "true") {
      val script = "BEGIN DECLARE x INT DEFAULT 3; SELECT x + 1 AS y; END"
      assume(parses(script), "This Spark has no scripts.")
      assert(spark.sql(script).collect().map(_.getInt(0)).toSeq == Seq(4))
    }
  }
}
