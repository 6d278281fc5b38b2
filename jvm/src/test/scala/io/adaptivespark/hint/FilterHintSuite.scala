package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.filter.exec.AdaptiveFilter
import io.adaptivespark.filter.plan.HintedOrder

class FilterHintSuite extends AnyFunSuite with HintSuite {

  /** The conjuncts of the only filter, optimised, with guards left out, as text in the order that the hint asks for. */
  private def ordered(sql: String): Option[Seq[String]] = {
    val Seq(filter) = spark.sql(sql).queryExecution.optimizedPlan.collect { case f: Filter => f }
    val conjuncts = splitConjunctivePredicates(filter.condition).toIndexedSeq
    HintedOrder.of(
      conjuncts
    ).map(_.map(conjuncts(_)).map(_.references.map(_.name).mkString("+")).distinct)
  }

  test("FILTER_ORDER puts the conjuncts of each column first, in its order, the others as written") {
    val where = "WHERE a > 1 AND length(s) > 2 AND b < 7"
    assert(ordered(s"SELECT /*+ FILTER_ORDER(b, s) */ * FROM t $where").contains(Seq("b", "s", "a")))
    assert(ordered(s"SELECT /*+ FILTER_ORDER(b) */ * FROM t $where").contains(Seq("b", "a", "s")))
    assert(ordered(s"SELECT /*+ FILTER_ORDER(B, t.s), ADAPTIVE_FILTER */ * FROM t $where").contains(Seq(
      "b",
      "s",
      "a"
    )))
    assert(ordered(s"SELECT /*+ ADAPTIVE_FILTER */ * FROM t $where").isEmpty)
    assert(ordered(s"SELECT * FROM t $where").isEmpty)
  }

  test("null guards go with the first conjunct that uses their column") {
    val Seq(filter) = spark.sql("SELECT /*+ FILTER_ORDER(b) */ * FROM t WHERE a > 1 AND b < 7")
      .queryExecution.optimizedPlan.collect { case f: Filter => f }
    val conjuncts = splitConjunctivePredicates(filter.condition).toIndexedSeq
    val order = HintedOrder.of(conjuncts).get.map(conjuncts(_).references.head.name)
    assert(order == Seq("b", "b", "a", "a") &&
      conjuncts.map(_.references.head.name) == Seq("a", "b", "a", "b"))
  }

  test("FILTER_ORDER counts where the initial order is the written one") {
    withConf("spark.sql.adaptiveFilter.initialOrder" -> "written") {
      val plan = executed(spark.sql("SELECT /*+ FILTER_ORDER(b) */ * FROM t WHERE a > 1 AND b < 7"))
      val Seq(filter) = collect(plan) { case f: AdaptiveFilter => f }
      assert(filter.initialOrder == Seq(1, 0))
    }
  }

  test("FILTER_ORDER names columns as the SELECT knows them, whatever they are below") {
    assert(ordered(
      "SELECT /*+ FILTER_ORDER(y) */ * FROM (SELECT a x, b + 1 y, s FROM t) WHERE x > 1 AND y < 7"
    ).contains(Seq("b", "a")))
    assert(ordered(
      "SELECT /*+ FILTER_ORDER(q.y) */ * FROM (SELECT a, b FROM t) AS q(x, y) WHERE x > 1 AND y < 7"
    ).contains(Seq("b", "a")))
    assert(ordered(
      "SELECT /*+ FILTER_ORDER(st.f) */ a FROM t WHERE a > 1 AND st.g = 1 AND st.f > 2"
    ).contains(Seq("st", "a")))
  }

  test("a column of the FROM is meant where the select list gives its name to something else") {
    assert(ordered("SELECT /*+ FILTER_ORDER(b) */ a AS b, b AS a FROM t WHERE a > 1 AND b < 7").contains(Seq(
      "b",
      "a"
    )))
  }

  test(
    "FILTER_ORDER in a subquery means the subquery's columns, not those of the query around it or a variable's"
  ) {
    val declared = "DECLARE OR REPLACE VARIABLE b INT DEFAULT 3"
    // Spark 3.5 has no variables.
    if (parses(declared)) spark.sql(declared)
    try {
      assert(ordered("SELECT /*+ FILTER_ORDER(b) */ a FROM t WHERE a > 1 AND b < 7").contains(Seq("b", "a")))
      val query =
        "SELECT * FROM t WHERE EXISTS (SELECT /*+ FILTER_ORDER(b) */ 1 FROM u WHERE u.a > 1 AND u.b < 7 AND u.a = t.a)"
      val orders = spark.sql(query).queryExecution.optimizedPlan.collect { case f: Filter =>
        val conjuncts = splitConjunctivePredicates(f.condition).toIndexedSeq
        HintedOrder.of(conjuncts).map(order => conjuncts(order.head).references.head.name)
      }
      assert(orders.contains(Some("b")), orders)
    } finally if (parses(declared)) spark.sql("DROP TEMPORARY VARIABLE b")
  }

  test("FILTER_ORDER reaches HAVING, LATERAL VIEW and PIVOT") {
    def of(sql: String) = spark.sql(sql).queryExecution.optimizedPlan.collect { case f: Filter =>
      val conjuncts = splitConjunctivePredicates(f.condition).toIndexedSeq
      HintedOrder.of(conjuncts).map(order => conjuncts(order.head).references.head.name)
    }
    assert(of(
      "SELECT /*+ FILTER_ORDER(m) */ b, count(*) n, max(a) m FROM t GROUP BY b HAVING n > 5 AND m > 3"
    ).contains(Some("m")))
    assert(of(
      "SELECT /*+ FILTER_ORDER(x) */ a FROM t LATERAL VIEW explode(sequence(b, a)) AS x WHERE x > 5 AND x < a"
    ).contains(Some("x")))
    assert(of(
      "SELECT /*+ FILTER_ORDER(no) */ * FROM (SELECT b, flag, a FROM t) PIVOT (sum(a) FOR flag IN (true yes, false no)) WHERE yes > 1 AND no > 2"
    ).exists(_.exists(_ != "yes")))
  }

  test("a name of two relations means both") {
    val query = spark.sql(
      "SELECT /*+ FILTER_ORDER(b) */ 1 FROM t JOIN u ON t.a = u.a WHERE t.s > 'x' AND u.s > 'x' AND t.b > 2 AND u.b > 3"
    )
    val orders = query.queryExecution.optimizedPlan.collect { case f: Filter =>
      val conjuncts = splitConjunctivePredicates(f.condition).toIndexedSeq
      conjuncts(HintedOrder.of(conjuncts).get.head).references.map(_.name).toSeq
    }
    assert(orders == Seq(Seq("b"), Seq("b")))
  }

  private val where = "FROM t WHERE a > 1 AND b < 7"

  for (
    (hint, sentence) <- Seq(
      "ADAPTIVE_FILTER('momentum=1.5')" ->
        """ADAPTIVE_FILTER: "momentum=1.5" sets momentum to a value that is not a number in [0, 1]. Leave it out for the session's value; the default is 0.3.""",
      "ADAPTIVE_FILTER('momentum=NaN')" -> "not a number in [0, 1]",
      "ADAPTIVE_FILTER('collect_rate=0')" ->
        "collect_rate to a value that is not auto or a whole number in [1, 2147483647]",
      "ADAPTIVE_FILTER('collect_rate=1.5')" ->
        "collect_rate to a value that is not auto or a whole number in [1, 2147483647]",
      "ADAPTIVE_FILTER('errors=sometimes')" -> "errors to a value that is not one of guarded, exact",
      "ADAPTIVE_FILTER('momentun=0.5')" ->
        """ADAPTIVE_FILTER: "momentun=0.5" names no option. Options: collect_rate, calculate_rate, momentum, policy, initial_order, errors""",
      "ADAPTIVE_FILTER('enabled=false')" -> "names no option",
      "ADAPTIVE_FILTER('query_tag=x')" -> "names no option",
      "ADAPTIVE_FILTER('momentum')" -> "is not an option. Write it as 'momentum=0.5'",
      "ADAPTIVE_FILTER(0.5)" -> "\"0.5\" is not a quoted option",
      "ADAPTIVE_FILTER((momentum=0.5))" -> "is not a quoted option. Write it as 'momentum=0.5'",
      "ADAPTIVE_FILTER(NULL)" -> "is not a quoted option",
      "ADAPTIVE_FILTER('momentum=0.5', 'momentum=0.6')" ->
        "momentum is both 0.5 and 0.6 in the hints of one SELECT. Keep one.",
      "ADAPTIVE_FILTER, NO_ADAPTIVE_FILTER" -> "ADAPTIVE_FILTER and NO_ADAPTIVE_FILTER contradict each other",
      "NO_ADAPTIVE_FILTER, BROADCAST(t), ADAPTIVE_FILTER" ->
        "ADAPTIVE_FILTER and NO_ADAPTIVE_FILTER contradict each other",
      "NO_ADAPTIVE_FILTER, FILTER_ORDER(a)" -> "NO_ADAPTIVE_FILTER leaves FILTER_ORDER nothing to do",
      "FILTER_ORDER(a), FILTER_ORDER(b)" -> "FILTER_ORDER is there twice",
      "NO_ADAPTIVE_FILTER(t)" -> "is one argument too many: it takes none. Write /*+ NO_ADAPTIVE_FILTER */",
      "FILTER_ORDER" ->
        "FILTER_ORDER names no column. Write it as FILTER_ORDER(column, …). Columns: a, b, s, flag, st.",
      "FILTER_ORDER(a), FILTER_ORDER" -> "FILTER_ORDER names no column.",
      "FILTER_ORDER(c)" ->
        """FILTER_ORDER: "c" is not a column of this SELECT's FROM. Columns: a, b, s, flag, st.""",
      "FILTER_ORDER(u.a)" -> """"u.a" is not a column of this SELECT's FROM""",
      "FILTER_ORDER('a')" -> "is not a column's name. Write it as FILTER_ORDER(column, …), without quotes.",
      "FILTER_ORDER((a + 1))" -> "not a column's name",
      "FILTER_ORDER(*)" -> "not a column's name"
    )
  )
    test(s"$hint is refused with the remedy") {
      val error = intercept[IllegalArgumentException](spark.sql(s"SELECT /*+ $hint */ a $where"))
      assert(error.getMessage.contains(sentence))
    }

  test("names in backquotes are names, whatever is in them") {
    assert(ordered(
      "SELECT /*+ FILTER_ORDER(`b`, `t`.`s`) */ * FROM t WHERE a > 1 AND s > 'x' AND b < 7"
    ).contains(Seq("b", "s", "a")))
    val error = intercept[IllegalArgumentException](
      spark.sql(s"SELECT /*+ FILTER_ORDER(`a) */ FROM t; --`) */ a $where")
    )
    assert(error.getMessage.contains("\"a) */ FROM t; --\" is not a column"))
  }

  test("a column that only the select list has is not a column of the FROM") {
    val error = intercept[IllegalArgumentException](spark.sql(s"SELECT /*+ FILTER_ORDER(x) */ a AS x $where"))
    assert(error.getMessage.contains("\"x\" is not a column of this SELECT's FROM"))
  }

  for (
    value <-
      Seq("0.5'); DROP TABLE t; --", "0.5 */ SELECT 1 /*", "$" + "{env:HOME}", "0.5\n", "=0.5", "x" * 5000)
  )
    test(s"an option's value is never anything but a value: ${value.take(20).replace("\n", "\\n")}") {
      val quoted = value.replace("\\", "\\\\").replace("'", "\\'")
      if (value.trim == "0.5")
        assert(settings(s"SELECT /*+ ADAPTIVE_FILTER('momentum=$quoted') */ a $where").map(_.momentum) ==
          Seq(0.5))
      else {
        val error =
          intercept[Exception](spark.sql(s"SELECT /*+ ADAPTIVE_FILTER('momentum=$quoted') */ a $where"))
        assert(
          error.getMessage.contains("not a number in [0, 1]") && error.getMessage.length < 300,
          error.getMessage
        )
      }
      assert(spark.table("t").count() == 1000)
    }

  test("DataFrame.hint is refused, since the hint would reach the DataFrame itself") {
    val error = intercept[IllegalArgumentException](
      spark.table("t").where("a > 1 AND b < 7").hint("NO_ADAPTIVE_FILTER")
    )
    assert(error.getMessage.contains("Write it after SELECT"))
  }

  test("a hint with nothing to order is warned of") {
    def of(sql: String) = warnings(spark.sql(sql)).filter(_.contains("FILTER"))
    assert(of("SELECT /*+ ADAPTIVE_FILTER */ a FROM t") == Seq(
      "ADAPTIVE_FILTER has no effect: its SELECT has no WHERE, HAVING or ON with conjuncts to order."
    ))
    assert(of("SELECT /*+ ADAPTIVE_FILTER */ a FROM t WHERE a > 1").size == 1)
    assert(of("SELECT /*+ ADAPTIVE_FILTER */ a FROM (SELECT * FROM t WHERE a > 1 AND b < 7)").size == 1)
    assert(of("SELECT /*+ NO_ADAPTIVE_FILTER */ a FROM t").size == 1)
    assert(of(s"SELECT /*+ FILTER_ORDER(s) */ a $where") ==
      Seq("FILTER_ORDER: no conjunct of its SELECT uses s."))
    adaptive(false) {
      assert(
        of(s"SELECT /*+ FILTER_ORDER(a) */ a $where").exists(_.contains("Add ADAPTIVE_FILTER to the hint"))
      )
      assert(of(s"SELECT /*+ FILTER_ORDER(a), ADAPTIVE_FILTER */ a $where").isEmpty)
    }
  }

  test("every key that a hint can set has one short name, and no label of the session is among them") {
    val names = AdaptiveSparkConf.ofFilter.map(_.shortName)
    assert(names.distinct == names && names.contains("errors"))
    assert(AdaptiveSparkConf.ofFilter.flatMap(_.modelConfig).forall(names.contains))
    assert(!names.exists(Set("enabled", "adaptive_filter", "verbose", "query_tag", "run_id")))
    AdaptiveSparkConf.ofFilter.foreach(key => assert(key.allows(key.default)))
  }
}
